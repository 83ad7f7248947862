package scenario

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Param is a parameter of a tool.
type Param struct {
	Name     string
	Doc      string // for the model; empty: the name says it
	Type     Type
	Optional bool
}

// A Type is that of an argument.
type Type struct {
	name   string   // in JSON Schema
	words  []string // of an enumeration
	of     *Type    // of the elements of a list
	params []Param  // of an object
}

// Text is a string.
func Text() Type { return Type{name: "string"} }

// Int is a whole number.
func Int() Type { return Type{name: "integer"} }

// Number is any number.
func Number() Type { return Type{name: "number"} }

// Bool is true or false.
func Bool() Type { return Type{name: "boolean"} }

// OneOf is one of several words.
func OneOf(words ...string) Type { return Type{name: "string", words: words} }

// List is a list of values of a type.
func List(of Type) Type { return Type{name: "array", of: &of} }

// Object is an object with its own parameters.
func Object(params ...Param) Type { return Type{name: "object", params: params} }

// schema returns the JSON Schema of an object.
func schema(params []Param) json.RawMessage { return Object(params...).schema(nil, "") }

// schema appends the JSON Schema of a type.
func (t Type) schema(to []byte, doc string) []byte {
	to = strictjson.AppendLegible(append(to, `{"type":`...), t.name)
	if doc != "" {
		to = strictjson.AppendLegible(append(to, `,"description":`...), doc)
	}
	switch {
	case t.words != nil:
		to = append(strictjson.AppendList(append(to, `,"enum":`...), t.words, strictjson.AppendLegible), '}')
		return to
	case t.of != nil:
		return append(t.of.schema(append(to, `,"items":`...), ""), '}')
	case t.name != "object":
		return append(to, '}')
	}
	required := []string{}
	to = append(to, `,"properties":{`...)
	for i, p := range t.params {
		if i > 0 {
			to = append(to, ',')
		}
		to = p.Type.schema(append(strictjson.AppendLegible(to, p.Name), ':'), p.Doc)
		if !p.Optional {
			required = append(required, p.Name)
		}
	}
	to = append(to, '}')
	if len(required) > 0 {
		to = strictjson.AppendList(append(to, `,"required":`...), required, strictjson.AppendLegible)
	}
	return append(to, '}')
}

// mostDepth is the greatest depth of nested values in the arguments of a tool with a schema.
const mostDepth = 100

// checked returns the arguments of a call as JSON that keeps to the parameters. The error is a
// [*Refusal] that names the argument.
func (t Tool) checked(args string) ([]byte, error) {
	if strings.TrimSpace(args) == "" {
		args = "{}"
	}
	if t.Schema != nil {
		if fault := strictjson.Check([]byte(args), mostDepth); fault != nil {
			return nil, Refusef("the arguments cannot be read: %v", fault)
		}
	}
	var object map[string]json.RawMessage
	if err := strictjson.Unmarshal([]byte(args), &object); err != nil || object == nil {
		return nil, Refusef("the arguments are no JSON object: %.80q", args)
	}
	if t.Schema != nil {
		return []byte(args), nil
	}
	return checkedObject(t.Params, object, "argument ")
}

// checkedObject checks the members of an object. Prefix names it in errors.
func checkedObject(params []Param, object map[string]json.RawMessage, prefix string) ([]byte, error) {
	var names []string
	out := []byte{'{'}
	for _, p := range params {
		names = append(names, p.Name)
		raw, has := object[p.Name]
		if null := string(raw) == "null"; !has || null && p.Optional {
			if !p.Optional {
				return nil, Refusef("%s%s: is missing", prefix, p.Name)
			}
			delete(object, p.Name)
			continue
		}
		delete(object, p.Name)
		value, err := p.Type.checked(raw, prefix+p.Name)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(strictjson.AppendLegible(out, p.Name), ':'), value...)
	}
	unknown := ""
	for name := range object {
		if unknown == "" || name < unknown {
			unknown = name
		}
	}
	if len(object) > 0 {
		if len(names) == 0 {
			names = []string{"none"}
		}
		return nil, Refusef("%s%.40s: is unknown%s; there are: %s", prefix, unknown, nearest.Suggest(unknown[:min(len(unknown), longest)], names), strings.Join(names, ", "))
	}
	return append(out, '}'), nil
}

// checked returns a value that keeps to the type. The error names the argument.
func (t Type) checked(raw json.RawMessage, name string) ([]byte, error) {
	wrong := func(want string) error { return Refusef("%s: is %.40s, want %s", name, raw, want) }
	switch {
	case t.words != nil:
		var word string
		if strictjson.Unmarshal(raw, &word) != nil || !slices.Contains(t.words, word) {
			return nil, wrong("one of " + strings.Join(t.words, ", "))
		}
	case t.of != nil:
		return t.checkedList(raw, name)
	case t.name == "object":
		var object map[string]json.RawMessage
		if strictjson.Unmarshal(raw, &object) != nil || object == nil {
			return nil, wrong("an object")
		}
		return checkedObject(t.params, object, name+".")
	case t.name == "integer":
		whole, ok := whole(raw)
		if !ok {
			return nil, wrong("a whole number")
		}
		return whole, nil
	case t.name != kindOf(raw):
		return nil, wrong(map[string]string{"string": "a text", "number": "a number", "boolean": "true or false"}[t.name])
	}
	return raw, nil
}

// checkedList checks the elements of a list.
func (t Type) checkedList(raw json.RawMessage, name string) ([]byte, error) {
	var list []json.RawMessage
	if strictjson.Unmarshal(raw, &list) != nil || list == nil {
		return nil, Refusef("%s: is %.40s, want a list", name, raw)
	}
	for i, one := range list {
		value, err := t.of.checked(one, fmt.Sprintf("%s[%d]", name, i))
		if err != nil {
			return nil, err
		}
		list[i] = value
	}
	return strictjson.Legible(list)
}

// kindOf returns the type of a JSON value, as a schema calls it.
func kindOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// mostDigits of a whole number are more than any tool takes.
const mostDigits = 1000

// whole returns a whole number, such as 2.0, without a point or an exponent.
func whole(raw json.RawMessage) ([]byte, bool) {
	switch literal := string(raw); {
	case kindOf(raw) != "number" || len(literal) > mostDigits:
		return nil, false
	case !strings.ContainsAny(literal, ".eE"):
		return raw, true
	default:
		f, err := strconv.ParseFloat(literal, 64)
		return fmt.Appendf(nil, "%.0f", f), err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53
	}
}
