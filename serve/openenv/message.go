package openenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/wire"
)

// A reply is a message to a client.
type reply struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// An outcome is the data of an observation.
type outcome struct {
	Observation any    `json:"observation"`
	Reward      number `json:"reward"`
	Done        bool   `json:"done"`
}

// refuse returns the refusal of a message with an invalid field at.
func refuse(why string, at ...any) *wire.OpenEnvRefusal {
	return &wire.OpenEnvRefusal{Message: "Invalid message", Code: wire.OpenEnvValidation, Errors: []wire.OpenEnvInvalid{{At: append([]any{}, at...), Why: why}}}
}

// parse reads a message.
func parse(text []byte) (m wire.OpenEnvMessage, err error) {
	if !json.Valid(text) {
		return m, &wire.OpenEnvRefusal{Message: "Invalid JSON", Code: wire.OpenEnvInvalidJSON}
	}
	return m, strict(text, &m)
}

// strict decodes an object without unknown fields.
func strict(text []byte, into any) error {
	if len(text) == 0 {
		return refuse("is missing", "data")
	}
	if bytes.TrimSpace(text)[0] != '{' {
		return refuse("want an object", "data")
	}
	err := strictjson.UnmarshalKnown(text, into)
	if err == nil {
		return nil
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return refuse(fmt.Sprintf("is %s, want %s", strictjson.Kind(kind.Value), strictjson.KindOf(kind.Type)), kind.Field)
	}
	return refuse(strings.TrimPrefix(err.Error(), "json: "))
}

// A number is written like a Python float: 1.0, not 1.
type number float64

// MarshalJSON implements [json.Marshaler].
func (n number) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(n), 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return []byte(text), nil
}

// encode writes plain values like pydantic: without spaces, and without the escapes that
// only web pages need.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic("openenv: " + err.Error()) // only plain values are written
	}
	return plain(text)
}

// plain undoes, in place, the escapes of encoding/json that JSON does not require.
func plain(text []byte) []byte {
	out := text[:0]
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out = append(out, text[i])
			continue
		}
		var raw string
		switch string(text[i:min(i+6, len(text))]) {
		case `\u003c`:
			raw = "<"
		case `\u003e`:
			raw = ">"
		case `\u0026`:
			raw = "&"
		case `\u2028`:
			raw = "\u2028"
		case `\u2029`:
			raw = "\u2029"
		default:
			out = append(out, text[i], text[i+1])
			i++
			continue
		}
		out = append(out, raw...)
		i += 5
	}
	return out
}
