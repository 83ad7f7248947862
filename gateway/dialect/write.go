package dialect

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An object is a JSON object whose members are written in their order.
type object []member

// A member is one of an object.
type member struct {
	name  string
	value any
}

// A list is a JSON array.
type list []any

// appendJSON appends a value.
func appendJSON(dst []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(strictjson.AppendLegible(dst, m.name), ':')
			dst = appendJSON(dst, m.value)
		}
		return append(dst, '}')
	case list:
		return strictjson.AppendList(dst, v, appendJSON)
	case string:
		return strictjson.AppendLegible(dst, v)
	case json.RawMessage:
		if v != nil {
			return append(dst, v...)
		}
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	text, err := strictjson.Legible(v)
	if err != nil || v == nil {
		return append(dst, "null"...) // a number may be none
	}
	return append(dst, text...)
}

// write returns v as JSON.
func write(v any) []byte { return appendJSON(nil, v) }

// appendEvent appends a server-sent event. Its name is empty with OpenAI's older interfaces.
func appendEvent(dst []byte, name string, data any) []byte {
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	dst = append(dst, "data: "...)
	return append(appendJSON(dst, data), "\n\n"...)
}

// A told is what a stream has written of its first choice.
type told struct{ reasoning, content string }

// rest returns what a text adds to the one written before, which it replaces.
func rest(written *string, text string) string {
	more, _ := strings.CutPrefix(text, *written)
	*written = text
	return more
}

// of returns what a choice adds to what is written of it.
func (t *told) of(k int, c *Choice) (reasoning, content string) {
	if k > 0 {
		return c.Reasoning, c.Content
	}
	return rest(&t.reasoning, c.Reasoning), rest(&t.content, c.Content)
}

// keepAlive is a comment, which readers of events pass over.
const keepAlive = ": keepalive\n\n"
