package jsonform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Unmarshal reads text into v as [json.Unmarshal] does, but a member is a field's only if its name is
// that of the field's tag, letter by letter. Its errors have the texts of Go 1.26,
// whichever toolchain built the program: see [Decoder.Decode].
func Unmarshal(text []byte, v any) error {
	exact, _ := exactly(text, v)
	err := json.Unmarshal(exact, v)
	if err == nil {
		return nil
	}
	return explain(err, reading{text: exact, whole: true}, v)
}

// A Decoder is a [json.Decoder] of a text, whose errors no toolchain changes.
type Decoder struct {
	*json.Decoder
	text   []byte
	strict bool
	number bool
}

// UseNumber makes Decode read numbers as [json.Number].
func (d *Decoder) UseNumber() {
	d.number = true
	d.Decoder.UseNumber()
}

// NewDecoder returns a Decoder of text.
func NewDecoder(text []byte) *Decoder {
	return &Decoder{Decoder: json.NewDecoder(bytes.NewReader(text)), text: text}
}

// DisallowUnknownFields makes Decode refuse members that a struct lacks.
func (d *Decoder) DisallowUnknownFields() {
	d.strict = true
	d.Decoder.DisallowUnknownFields()
}

// Decode reads the next value into v. The error for invalid JSON wraps a [json.SyntaxError]. The
// error for a value of the wrong type is a [json.UnmarshalTypeError]: Field names the members
// that lead to the value, without indices and without the keys of maps, and Struct the type that
// declares the last of them.
func (d *Decoder) Decode(v any) error {
	from := d.InputOffset()
	err := d.decode(v)
	if err == nil {
		return nil
	}
	text := d.text[from:]
	if from > 0 { // what parts the value from the token before
		text = bytes.TrimLeft(text, " \t\r\n,:")
	}
	return explain(err, reading{text: text, strict: d.strict}, v)
}

// decode reads the next value, whose names are those of v's tags, letter by letter.
func (d *Decoder) decode(v any) error {
	var raw json.RawMessage
	if !hasOddNames(d.text) {
		return d.Decoder.Decode(v)
	}
	if err := d.Decoder.Decode(&raw); err != nil {
		return err
	}
	exact, odd := exactly(raw, v)
	if odd != "" && d.strict {
		return fmt.Errorf("json: unknown field %q", odd)
	}
	inner := json.NewDecoder(bytes.NewReader(exact))
	if d.strict {
		inner.DisallowUnknownFields()
	}
	if d.number {
		inner.UseNumber()
	}
	return inner.Decode(v)
}

// A reading is what was asked of encoding/json.
type reading struct {
	text   []byte
	whole  bool // nothing may follow the value
	strict bool // unknown members are refused
}

// explain returns err, the refusal of a text by encoding/json, in our own words. It reads the
// text anew, and returns err if it finds no fault.
func explain(err error, r reading, v any) error {
	if errors.As(err, new(*json.InvalidUnmarshalError)) {
		return err
	}
	if why := invalid(r.text, r.whole); why != "" {
		if !errors.As(err, new(*json.SyntaxError)) {
			return err // the text ends early
		}
		return &syntaxError{why, err}
	}
	if found := mismatch(r, v); found != nil {
		return found
	}
	return err
}

// A syntaxError is a [json.SyntaxError] with our own text.
type syntaxError struct {
	text string
	err  error
}

// Error says which character is wrong, and where it stands.
func (e *syntaxError) Error() string { return e.text }

// Unwrap returns the error of encoding/json.
func (e *syntaxError) Unwrap() error { return e.err }
