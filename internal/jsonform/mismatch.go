package jsonform

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

var (
	unmarshaler     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// A finder looks for the first value that does not fit its type.
type finder struct {
	strict bool
	within reflect.Type // struct that declares the last member of path; nil: none
	path   []string     // members that lead to the value
	first  error        // the first fault after which encoding/json reads on
}

// mismatch returns the first fault of a valid text that is to be read into v. A method that
// refuses its value comes first: encoding/json stops there.
func mismatch(r reading, v any) error {
	var value json.RawMessage
	if json.NewDecoder(bytes.NewReader(r.text)).Decode(&value) != nil {
		return nil //nolint:nilerr // the caller has that error
	}
	t := reflect.TypeOf(v)
	if t == nil || t.Implements(unmarshaler) {
		return nil // its error is what it is
	}
	f := finder{strict: r.strict}
	if err := f.value(value, t); err != nil {
		return err
	}
	return f.first
}

// value looks into a value of type t. The error is one at which encoding/json stops.
func (f *finder) value(text []byte, t reflect.Type) error {
	null := string(text) == "null"
	for t.Kind() == reflect.Pointer {
		if t = t.Elem(); null && t.Kind() != reflect.Pointer && len(f.path) > 0 {
			return nil
		}
	}
	if p := reflect.PointerTo(t); p.Implements(unmarshaler) {
		return f.method(text, t)
	} else if p.Implements(textUnmarshaler) && !null && text[0] != '"' {
		f.keep(f.at(&json.UnmarshalTypeError{Value: kindOf(text), Type: t}, ""))
		return nil
	} else if null || p.Implements(textUnmarshaler) {
		return f.plain(text, t)
	}
	switch kind := t.Kind(); {
	case text[0] == '{' && kind == reflect.Struct:
		return f.object(text, t)
	case text[0] == '{' && kind == reflect.Map && t.Key().Kind() == reflect.String:
		return members(text, func(_ string, value []byte) error { return f.value(value, t.Elem()) })
	case text[0] == '[' && (kind == reflect.Slice || kind == reflect.Array):
		return elements(text, func(value []byte) error { return f.value(value, t.Elem()) })
	}
	return f.plain(text, t)
}

// kindOf names the kind of a value that is neither a string nor null.
func kindOf(text []byte) string {
	switch text[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "bool"
	}
	return "number"
}

// method looks into a value that a type reads itself.
func (f *finder) method(text []byte, t reflect.Type) error {
	err := reflect.New(t).Interface().(json.Unmarshaler).UnmarshalJSON(text)
	if wrong, is := err.(*json.UnmarshalTypeError); is { //nolint:errorlint // encoding/json looks at this one only
		return f.at(wrong, wrong.Field)
	}
	return err
}

// at returns wrong with the members that lead to it, and the last ones below.
func (f *finder) at(wrong *json.UnmarshalTypeError, below string) error {
	found := &json.UnmarshalTypeError{Value: wrong.Value, Type: wrong.Type, Offset: wrong.Offset, Struct: wrong.Struct, Field: below}
	if f.within != nil {
		found.Struct = f.within.Name()
		path := f.path
		if below != "" {
			path = append(slices.Clip(path), below)
		}
		found.Field = strings.Join(path, ".")
	}
	return found
}

// plain looks into a value without members of its own.
func (f *finder) plain(text []byte, t reflect.Type) error {
	err := json.Unmarshal(text, reflect.New(t).Interface())
	if err == nil {
		return nil
	}
	wrong, is := errors.AsType[*json.UnmarshalTypeError](err)
	if inner := errors.Unwrap(err); is && inner != nil {
		err, is = inner, false // Go 1.27 wraps the errors of methods and of base64
	}
	if is {
		f.keep(f.at(&json.UnmarshalTypeError{Value: wrong.Value, Type: wrong.Type, Offset: wrong.Offset}, ""))
		return nil
	}
	if t.Kind() == reflect.Slice { // base64
		f.keep(err)
		return nil
	}
	return err
}

// keep keeps the first fault.
func (f *finder) keep(err error) {
	if f.first == nil {
		f.first = err
	}
}

// object looks into a struct.
func (f *finder) object(text []byte, t reflect.Type) error {
	known := placesOf(t)
	within, path := f.within, f.path
	return members(text, func(name string, value []byte) error {
		at := slices.IndexFunc(known, func(p place) bool { return p.name == name })
		if at < 0 {
			at = slices.IndexFunc(known, func(p place) bool { return !p.tagged && strings.EqualFold(p.name, name) })
		}
		if at < 0 {
			if f.strict {
				f.keep(fmt.Errorf("json: unknown field %q", name))
			}
			return nil
		}
		p := known[at]
		f.within, f.path = t, append(append(slices.Clip(path), p.above...), p.name)
		defer func() { f.within, f.path = within, path }()
		if p.quoted {
			return f.quoted(value, p.typ)
		}
		return f.value(value, p.typ)
	})
}

// quoted looks into a scalar that is written in a string.
func (f *finder) quoted(text []byte, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if string(text) == "null" {
		return nil
	}
	var inner string
	if text[0] != '"' || json.Unmarshal(text, &inner) != nil {
		f.keep(&quotedError{strings.Join(f.path, "."), string(text), "unquoted value", t})
		return nil //nolint:nilerr // another error is kept
	}
	number := inner != "" && (inner[0] == '-' || inner[0]-'0' <= 9)
	err := json.Unmarshal([]byte(inner), reflect.New(t).Interface())
	switch {
	case inner == "" || inner != strings.TrimSpace(inner), err != nil && !(number && json.Valid([]byte(inner)) && t.Kind() != reflect.String && t.Kind() != reflect.Bool):
		f.keep(&quotedError{strings.Join(f.path, "."), string(text), strconv.Quote(inner), t})
		return nil
	case err != nil:
		return f.plain([]byte(inner), t)
	}
	return nil
}

// A quotedError says that a member is no scalar written in a string. Its text is that of Go 1.26.
type quotedError struct {
	field string // its path
	value string // in JSON
	told  string // the value as Go tells it
	want  reflect.Type
}

// Error implements error.
func (e *quotedError) Error() string {
	return fmt.Sprintf("json: invalid use of ,string struct tag, trying to unmarshal %s into %v", e.told, e.want)
}

// members calls each with the members of a valid object, until it returns an error.
func members(object []byte, each func(name string, value []byte) error) error {
	d := json.NewDecoder(bytes.NewReader(object))
	_, _ = d.Token() // {
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := each(name.(string), value); err != nil {
			return err
		}
	}
	return nil
}

// elements calls each with the elements of a valid array, until it returns an error.
func elements(array []byte, each func(value []byte) error) error {
	d := json.NewDecoder(bytes.NewReader(array))
	_, _ = d.Token() // [
	for d.More() {
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if err := each(value); err != nil {
			return err
		}
	}
	return nil
}
