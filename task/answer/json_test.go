package answer

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestReadJSON(t *testing.T) {
	for text, want := range map[string]any{
		` {"a": [1.50, "x", true, null]} ` + "\n": map[string]any{"a": []any{json.Number("1.50"), "x", true, nil}},
		`{"a":1,"a":2}`:              map[string]any{"a": json.Number("2")},
		`1e999`:                      json.Number("1e999"),
		`"\u0041"`:                   "A",
		`[]`:                         []any{},
		"\u00a0[]":                   nil,
		`[] []`:                      nil,
		`[1,]`:                       nil,
		`['a']`:                      nil,
		`[NaN]`:                      nil,
		`{"a":1`:                     nil,
		``:                           nil,
		"\"a\nb\"":                   nil,
		"\ufeff[]":                   nil,
		strings.Repeat("[", 100_000): nil,
	} {
		got, err := ReadJSON(text)
		if (err != nil) != (want == nil) || !reflect.DeepEqual(got, want) {
			t.Errorf("ReadJSON(%.40q) = %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestWhole(t *testing.T) {
	for _, test := range []struct {
		v    any
		want int64
		ok   bool
	}{
		{json.Number("7"), 7, true},
		{json.Number("-7.0"), -7, true},
		{json.Number("2e3"), 2000, true},
		{json.Number("0.5"), 0, false},
		{json.Number("1e18"), 0, false},
		{json.Number("1e999"), 0, false},
		{"7", 0, false},
		{true, 0, false},
		{nil, 0, false},
	} {
		if n, ok := Whole(test.v); n != test.want || ok != test.ok {
			t.Errorf("Whole(%v) = %d, %v, want %d, %v", test.v, n, ok, test.want, test.ok)
		}
	}
}

func TestTexts(t *testing.T) {
	for text, want := range map[string][]string{
		`[]`:                 {},
		`["a", 1.50, "", 2]`: {"a", "1.50", "", "2"},
		`[1, [2]]`:           nil,
		`[true]`:             nil,
		`[null]`:             nil,
		`{"a": 1}`:           nil,
		`"a"`:                nil,
	} {
		v, err := ReadJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := Texts(v); ok != (want != nil) || !slices.Equal(got, want) {
			t.Errorf("Texts of %s: %q, %v, want %q", text, got, ok, want)
		}
	}
}
