package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// Explain returns an error of [Unmarshal], [UnmarshalKnown] or encoding/json in words for people
// who send JSON and know no Go: "level: is a text, want a whole number", "the JSON ends too
// early". It returns other errors without the prefix of encoding/json, and nil for nil.
func Explain(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		is, want := Kind(wrong.Value), KindOf(wrong.Type)
		if field := withoutTypes(wrong.Field); field != "" {
			return fmt.Errorf("%s: is %s, want %s", field, is, want)
		}
		return fmt.Errorf("is %s, want %s", is, want)
	}
	if err == nil {
		return nil
	}
	if text, ok := strings.CutPrefix(err.Error(), "json: "); ok {
		return errors.New(text)
	}
	return inWords(err)
}

// ErrEarly is the error of a text that ends before its JSON does.
var ErrEarly = errors.New("the JSON ends too early")

// inWords says in words that a text is no JSON, and returns other errors as they are.
func inWords(err error) error {
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || ok && strings.Contains(syntax.Error(), "unexpected e") { // of some Go "end", of others "EOF"
		return ErrEarly
	}
	if !ok {
		return err
	}
	if strings.Contains(syntax.Error(), "depth") {
		return errors.New("the JSON is nested too deep")
	}
	text, odd := strings.CutPrefix(syntax.Error(), "invalid character ")
	if end := strings.Index(text[min(1, len(text)):], "' "); odd && end >= 0 {
		return fmt.Errorf("%s stands where it may not in JSON", text[:end+2])
	}
	return errors.New("it is no JSON")
}

// withoutTypes returns the path of a field without the embedded types, whose names begin with a
// capital, as no member of ours does, and without places in lists, which Go 1.26 does not name.
func withoutTypes(path string) string {
	var names []string
	for name := range strings.SplitSeq(path, ".") {
		if first, _ := utf8.DecodeRuneInString(name); (first < 'A' || first > 'Z') && (first < '0' || first > '9') {
			names = append(names, name)
		}
	}
	return strings.Join(names, ".")
}

// Kind names a JSON value as encoding/json does in [json.UnmarshalTypeError], for people.
func Kind(value string) string {
	switch value {
	case "string":
		return "a text"
	case "bool":
		return "true or false"
	case "array":
		return "a list"
	case "object":
		return "an object"
	case "number":
		return "a number"
	}
	return strings.TrimPrefix(value, "number ") // the number itself: it does not fit
}

// KindOf names the JSON values of a Go type for people.
func KindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		if t == reflect.TypeFor[json.Number]() {
			return "a number"
		}
		return "a text"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Map, reflect.Struct:
		return "an object"
	case reflect.Pointer:
		return KindOf(t.Elem())
	}
	return "a whole number"
}
