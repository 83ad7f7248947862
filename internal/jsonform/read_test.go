package jsonform

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

type (
	// A sheet has a member of each kind that is read.
	sheet struct {
		common
		Seed uint64           `json:"seed,string"`
		Name string           `json:"name"`
		List []row            `json:"list"`
		By   map[string]row   `json:"by"`
		Own  strictRow        `json:"own"`
		Owns []*strictRow     `json:"owns"`
		Any  any              `json:"any"`
		B64  []byte           `json:"b64"`
		Keys map[int]struct{} `json:"keys"`
		Next *sheet           `json:"next"`
	}
	common struct {
		Level int8 `json:"level"`
	}
	row struct {
		A int `json:"a"`
	}
	strictRow row
)

func (r *strictRow) UnmarshalJSON(text []byte) error { return Unmarshal(text, (*row)(r)) }

// The texts are those of encoding/json in Go 1.26.
func TestErrorsAreTheSameWithEveryToolchain(t *testing.T) {
	deep := strings.Repeat("[", 10_001)
	for _, c := range []struct{ text, whole, first string }{ // first: by a Decoder that is strict, if it differs
		{``, "unexpected end of JSON input", "EOF"},
		{`nul`, "invalid character ' ' in literal null (expecting 'l')", "unexpected EOF"},
		{`nulx`, "invalid character 'x' in literal null (expecting 'l')", ""},
		{`-`, "invalid character ' ' in numeric literal", "unexpected EOF"},
		{`-x`, "invalid character 'x' in numeric literal", ""},
		{`[1.]`, "invalid character ']' after decimal point in numeric literal", ""},
		{`[1e+]`, "invalid character ']' in exponent of numeric literal", ""},
		{`[01]`, "invalid character '1' after array element", ""},
		{`[1,]`, "invalid character ']' looking for beginning of value", ""},
		{`[NaN]`, "invalid character 'N' looking for beginning of value", ""},
		{"[é]", "invalid character 'Ã' looking for beginning of value", ""},
		{"[\xff]", "invalid character 'ÿ' looking for beginning of value", ""},
		{"[\x00]", `invalid character '\x00' looking for beginning of value`, ""},
		{`{'a':1}`, `invalid character '\'' looking for beginning of object key string`, ""},
		{`{"a":1,}`, "invalid character '}' looking for beginning of object key string", ""},
		{`{"a" 1}`, "invalid character '1' after object key", ""},
		{`{"a":1 "`, `invalid character '"' after object key:value pair`, ""},
		{"\"a\tb\"", `invalid character '\t' in string literal`, ""},
		{`"\x"`, "invalid character 'x' in string escape code", ""},
		{`"\u12g"`, `invalid character 'g' in \u hexadecimal character escape`, ""},
		{`"a`, "unexpected end of JSON input", "unexpected EOF"},
		{`{"a":{}} {`, "invalid character '{' after top-level value", `json: unknown field "a"`},
		{deep, "invalid character '[' exceeded max depth", ""},
		{`[]`, "json: cannot unmarshal array into Go value of type jsonform.sheet", ""},
		{`{"seed":7}`, "json: invalid use of ,string struct tag, trying to unmarshal unquoted value into uint64", ""},
		{`{"seed":"x"}`, `json: invalid use of ,string struct tag, trying to unmarshal "x" into uint64`, ""},
		{`{"seed":"18446744073709551616"}`, "json: cannot unmarshal number 18446744073709551616 into Go struct field sheet.seed of type uint64", ""},
		{`{"level":128}`, "json: cannot unmarshal number 128 into Go struct field sheet.common.level of type int8", ""},
		{`{"list":[{"a":1},{"a":"x"}]}`, "json: cannot unmarshal string into Go struct field row.list.a of type int", ""},
		{`{"by":{"x.y/0":{"a":true}}}`, "json: cannot unmarshal bool into Go struct field row.by.a of type int", ""},
		{`{"next":{"next":{"name":5}}}`, "json: cannot unmarshal number into Go struct field sheet.next.next.name of type string", ""},
		{`{"own":{"a":[]}}`, "json: cannot unmarshal array into Go struct field sheet.own.a of type int", ""},
		{`{"name":1,"owns":[null,{"a":{}}]}`, "json: cannot unmarshal object into Go struct field sheet.owns.a of type int", ""},
		{`{"any":[1e999]}`, "json: cannot unmarshal number 1e999 into Go struct field sheet.any of type float64", ""},
		{`{"b64":"!"}`, "illegal base64 data at input byte 0", ""},
		{`{"keys":{"x":{}}}`, "json: cannot unmarshal number x into Go struct field sheet.keys of type int", ""},
		{`{"name":1,"more":2}`, "json: cannot unmarshal number into Go struct field sheet.name of type string", ""},
	} {
		if c.first == "" {
			c.first = c.whole
		}
		if err := Unmarshal([]byte(c.text), new(sheet)); fmt.Sprint(err) != c.whole {
			t.Errorf("%.40q: %v, want %s", c.text, err, c.whole)
		}
		d := NewDecoder([]byte(c.text))
		d.DisallowUnknownFields()
		if err := d.Decode(new(sheet)); fmt.Sprint(err) != c.first {
			t.Errorf("%.40q: the first value: %v, want %s", c.text, err, c.first)
		}
	}
}

// Callers look at the errors of encoding/json.
func TestErrorsAreThoseOfEncodingJSON(t *testing.T) {
	if err := Unmarshal([]byte(`{"a":é}`), new(any)); !errors.As(err, new(*json.SyntaxError)) {
		t.Errorf("%v (%T) is no syntax error", err, err)
	}
	var wrong *json.UnmarshalTypeError
	if err := Unmarshal([]byte(`{"list":[{"a":"x"}]}`), new(sheet)); !errors.As(err, &wrong) || wrong.Field != "list.a" || wrong.Struct != "row" || wrong.Value != "string" {
		t.Errorf("%v (%T): %+v", err, err, wrong)
	}
	if err := Unmarshal([]byte(`1`), nil); !errors.As(err, new(*json.InvalidUnmarshalError)) {
		t.Errorf("%v (%T)", err, err)
	}
}

func TestDecoderGoesOn(t *testing.T) {
	d := NewDecoder([]byte(`{"a":1} {"a":"x"}`))
	var one row
	if err := d.Decode(&one); err != nil || one.A != 1 {
		t.Errorf("%+v, error %v", one, err)
	}
	if err := d.Decode(&one); fmt.Sprint(err) != "json: cannot unmarshal string into Go struct field row.a of type int" {
		t.Errorf("the second value: %v", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		t.Errorf("after the last value: %v", err)
	}
}

func TestMarshalWritesBytesThatAreNotUTF8(t *testing.T) {
	for want, v := range map[string]any{
		`"a\ufffd�"`:                     "a\xff\ufffd",
		`{"a\ufffd":["\ufffd",{"b":1}]}`: map[string]any{"a\xff": []any{"\xff", map[string]any{"b": 1}}},
		`{"X":"\ufffd"}`:                 struct{ X any }{"\xe2"},
		`{"N":"\ufffd","Z":1}`: struct {
			named
			Z int
		}{named{"\xff"}, 1},
	} {
		if got, err := Marshal(v); err != nil || string(got) != want {
			t.Errorf("%q: %s, error %v; want %s", v, got, err, want)
		}
	}
	if got, err := Marshal(func() {}); err == nil || got != nil {
		t.Errorf("a function: %s", got)
	}
}

type named struct{ N string }

// FuzzUnmarshal: what encoding/json refuses has an error, and syntax errors say the same of each value.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"seed":"7","list":[{"a":1}],"own":{"a":"x"},"any":[1e999]}`))
	f.Add([]byte(`{"keys":{"1":{}},"b64":"!","next":{"level":300}} x`))
	f.Fuzz(func(t *testing.T, text []byte) {
		err, want := Unmarshal(text, new(sheet)), json.Unmarshal(text, new(sheet))
		if (err == nil) != (want == nil) {
			t.Fatalf("%q: error %v, and by encoding/json %v", text, err, want)
		}
		if why := invalid(text, true); (why == "") != json.Valid(text) {
			t.Fatalf("%q: %q, but valid is %v", text, why, json.Valid(text))
		}
		if why := invalid(text, true); why != "" && err.Error() != why {
			t.Fatalf("%q: error %v, want %s", text, err, why)
		}
	})
}
