package jsonform

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Unmarshal reads text into v as [json.Unmarshal] does. Its errors have the texts of Go 1.26,
// whichever toolchain built the program: see [Decoder.Decode].
func Unmarshal(text []byte, v any) error {
	err := json.Unmarshal(text, v)
	if err == nil {
		return nil
	}
	return explain(err, reading{text: text, whole: true}, v)
}

// A Decoder is a [json.Decoder] of a text, whose errors no toolchain changes.
type Decoder struct {
	*json.Decoder
	text   []byte
	strict bool
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
	err := d.Decoder.Decode(v)
	if err == nil {
		return nil
	}
	text := d.text[from:]
	if from > 0 { // what parts the value from the token before
		text = bytes.TrimLeft(text, " \t\r\n,:")
	}
	return explain(err, reading{text: text, strict: d.strict}, v)
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
