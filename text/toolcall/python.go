package toolcall

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/pyvalue"
)

// pythonReader returns a reader of the literals that models write.
func pythonReader(text string, at int) pyvalue.LiteralReader {
	return pyvalue.LiteralReader{Text: text, At: at, Lines: true, Words: map[string]pyvalue.Value{"true": true, "false": false, "null": nil}}
}

// pythonValue returns the JSON of a text that is one literal.
func pythonValue(text string) (literal, why string) {
	r := pythonReader(text, 0)
	r.Brackets = 1
	v, err := r.Value()
	out, ok := appendPython(nil, v)
	if err != nil || !ok || !r.Ended() {
		return "", invalidAt(&r)
	}
	return string(out), ""
}

// pythonCall reads a call with named arguments, name(a=1, b="x"), that begins at text[at].
func pythonCall(text string, at int) (c quintain.ToolCall, end int, why string) {
	r := pythonReader(text, at)
	if c.Name = word(&r, true); c.Name == "" || !r.Skip("(") {
		return c, r.At, invalidAt(&r)
	}
	r.Brackets = 1
	arguments, ok := keywords(&r)
	if !ok {
		return c, r.At, invalidAt(&r)
	}
	c.Arguments = arguments
	return c, r.At, ""
}

func invalidAt(r *pyvalue.LiteralReader) string {
	return fmt.Sprintf("invalid arguments at byte %d", r.At)
}

// keywords reads named arguments up to the bracket that closes them, as a JSON object.
func keywords(r *pyvalue.LiteralReader) (arguments string, ok bool) {
	o := object{values: map[string]string{}}
	for more := true; !r.Skip(")"); more = r.Skip(",") {
		name := word(r, false)
		if !more || name == "" || !r.Skip("=") {
			return "", false
		}
		v, err := r.Value()
		out, plain := appendPython(nil, v)
		if err != nil || !plain || !o.set(name, string(out)) {
			return "", false
		}
	}
	return o.text(), true
}

// word reads a name, with dots in it if they are allowed.
func word(r *pyvalue.LiteralReader, dots bool) string {
	r.Skip("")
	from := r.At
	for ; r.At < len(r.Text); r.At++ {
		c := r.Text[r.At]
		letter := c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
		inside := r.At > from && (c >= '0' && c <= '9' || dots && (c == '.' || c == '-'))
		if !letter && !inside {
			break
		}
	}
	return r.Text[from:r.At]
}

// appendPython appends a literal as JSON. A set has no JSON.
func appendPython(dst []byte, v pyvalue.Value) (text []byte, ok bool) {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case json.Number:
		return append(dst, v...), true
	case string:
		return strictjson.AppendLegible(dst, v), true
	case *pyvalue.List:
		dst = append(dst, '[')
		for i, item := range v.Items {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			if dst, ok = appendPython(dst, item); !ok {
				return dst, false
			}
		}
		return append(dst, ']'), true
	case *pyvalue.Dict:
		open := "{"
		for key, item := range v.All() {
			dst = append(strictjson.AppendLegible(append(dst, open...), key.(string)), ": "...)
			if dst, ok = appendPython(dst, item); !ok {
				return dst, false
			}
			open = ", "
		}
		if open == "{" {
			dst = append(dst, open...)
		}
		return append(dst, '}'), true
	}
	return dst, false
}
