package jsonform

import (
	"bytes"
	"encoding/json"
	"io"
)

// Marshal returns the JSON form of v, as an [Encoder] writes it.
func Marshal(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil || bytes.Contains(text, []byte("\ufffd")) { // Go 1.27 may have put it in place of a byte
		return new(Encoder).Append(nil, v)
	}
	return text, nil
}

// MarshalLegible is [Marshal] without the escapes for HTML: a tag stays as it is.
func MarshalLegible(v any) ([]byte, error) {
	text, err := marshal(v, true)
	if err != nil || bytes.Contains(text, []byte("\ufffd")) || bytes.Contains(text, []byte(`\u202`)) { // Go 1.27 escapes line ends in a RawMessage
		return (&Encoder{legible: true}).Append(nil, v)
	}
	return text, nil
}

// marshal returns v as encoding/json writes it.
func marshal(v any, legible bool) ([]byte, error) {
	if !legible {
		return json.Marshal(v)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// WriteLine writes v as [Marshal] does, and a line end, in one call.
func WriteLine(w io.Writer, v any) error {
	text, err := Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// WriteLegible is [WriteLine] without the escapes for HTML.
func WriteLegible(w io.Writer, v any) error {
	text, err := MarshalLegible(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// WriteIndented is [WriteLine] with a line for each member and element, two spaces deeper than the one around it.
func WriteIndented(w io.Writer, v any) error {
	text, err := Marshal(v)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = w.Write(b.Bytes())
	return err
}
