package strictjson_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

type row struct {
	A int    `json:"a"`
	N uint64 `json:"n,string"`
}

// Explain looks at the errors of encoding/json.
func TestErrorsAreThoseOfEncodingJSON(t *testing.T) {
	var wrong *json.UnmarshalTypeError
	if err := strictjson.Unmarshal([]byte(`{"b":[],"a":"x"}`), new(row)); !errors.As(err, &wrong) || wrong.Field != "a" || wrong.Value != "string" {
		t.Errorf("%v (%T): %+v", err, err, wrong)
	}
	if err := strictjson.Unmarshal([]byte(`1`), nil); !errors.As(err, new(*json.InvalidUnmarshalError)) {
		t.Errorf("%v (%T)", err, err)
	}
}

func TestUnmarshal(t *testing.T) {
	plain, known, numbers := strictjson.Unmarshal, strictjson.UnmarshalKnown, strictjson.UnmarshalNumbers
	for _, test := range []struct {
		why, text string
		read      func(text []byte, v any) error
		into      any
		want      any // nil: an error
	}{
		{"an unknown member is left out", `{"a":1,"b":2}`, plain, new(row), &row{A: 1}},
		{"or refused", `{"a":1,"b":2}`, known, new(row), nil},
		{"white space may follow", "{\"a\":1}\n ", known, new(row), &row{A: 1}},
		{"but nothing else", `{"a":1} {}`, known, new(row), nil},
		{"nor here", `1 2`, numbers, new(any), nil},
		{"nothing at all", ``, known, new(row), nil},
		{"the last of a name counts", `{"a":1,"a":2}`, plain, new(row), &row{A: 2}},
		{"all digits are kept", `1.50e400`, numbers, new(any), new(any(json.Number("1.50e400")))},
		{"null is a number in quotes too", `{"n":null,"a":1}`, known, new(row), &row{A: 1}},
	} {
		err := test.read([]byte(test.text), test.into)
		if (err == nil) != (test.want != nil) || test.want != nil && !reflect.DeepEqual(test.into, test.want) {
			t.Errorf("%s: %+v, error %v", test.why, test.into, err)
		}
	}
}

// FuzzUnmarshal: what encoding/json refuses, these refuse.
func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"n":"7","list":[{"a":1}],"By":{"A":{"a":"x"}},"Any":[1e999]}`))
	f.Add([]byte(`{"keys":{"1":{}},"next":{"a":300}} x`))
	type sheet struct { // each kind of type that names are looked for in
		row
		List []row          `json:"list"`
		By   map[string]row `json:"by"`
		Next *sheet         `json:"next"`
		Any  any
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		err, want := strictjson.Unmarshal(text, new(sheet)), json.Unmarshal(text, new(sheet))
		if err != nil && want == nil || !json.Valid(text) && err == nil {
			t.Fatalf("%q: error %v, and by encoding/json %v", text, err, want)
		}
		if strictjson.UnmarshalKnown(text, new(sheet)) == nil && err != nil {
			t.Fatalf("%q: only refused where unknown members pass", text)
		}
	})
}
