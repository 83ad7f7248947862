// Package strictjson is encoding/json where that is too lenient or too slow for records and for what clients send.
//
//   - [Unmarshal] and its kin match the names of members and of tags letter by letter; encoding/json ignores case.
//     [Explain] says what is wrong to people who know no Go.
//   - [Check] refuses what readers understand differently: a name twice, half a surrogate pair.
//   - [Members], [Elements], [Text], [Int] and [Picker] take the usual forms of JSON apart without a copy. They report
//     false for everything else, invalid or only unusual: the caller then calls Unmarshal.
//   - [Canonical] is for hashes: its bytes are the same under every Go. [Legible] and the functions that append
//     write texts without the escapes for HTML, or without a copy.
//
// Everything else is written by encoding/json.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// Unmarshal is [json.Unmarshal], but what is no JSON is told in words, and a member is a field's only if its name is that of the field's tag, letter by
// letter. Fields without a tag keep the rule of encoding/json.
func Unmarshal(text []byte, v any) error {
	t := reflect.TypeOf(v)
	exact, _ := exactly(text, t)
	return inQuotes(inWords(json.Unmarshal(exact, v)), exact, t)
}

// UnmarshalKnown is [Unmarshal] that refuses members which v lacks.
func UnmarshalKnown(text []byte, v any) error {
	t := reflect.TypeOf(v)
	exact, odd := exactly(text, t)
	if odd != "" {
		return fmt.Errorf("json: unknown field %q", odd)
	}
	d := json.NewDecoder(bytes.NewReader(exact))
	d.DisallowUnknownFields()
	return inQuotes(decode(d, v), exact, t)
}

// UnmarshalNumbers is [Unmarshal] that reads numbers into interfaces as [json.Number], digit by digit.
func UnmarshalNumbers(text []byte, v any) error {
	exact, _ := exactly(text, reflect.TypeOf(v))
	d := json.NewDecoder(bytes.NewReader(exact))
	d.UseNumber()
	return decode(d, v)
}

// decode reads the only value of a text.
func decode(d *json.Decoder, v any) error {
	if err := d.Decode(v); err != nil {
		return inWords(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is more than one JSON value")
	}
	return nil
}
