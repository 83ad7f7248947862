package pyvalue_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

func TestLiteralReader(t *testing.T) {
	one := json.Number("1")
	for _, test := range []struct {
		why, text string
		want      pyvalue.Value
		at        int    // after the literal
		says      string // the error; empty: none
	}{
		{"a number as it is spelled", "1.50e+3 ", json.Number("1.50e+3"), 7, ""},
		{"joined texts", `"a" 'b\n' """c"d"""`, "ab\nc\"d", 19, ""},
		{"a tuple", "(1,)", pyvalue.NewTuple(one), 4, ""},
		{"brackets that are none", "(1)", one, 3, ""},
		{"line ends and comments in brackets", "[1, # one\n\n1,]", &pyvalue.List{Items: []pyvalue.Value{one, one}}, 14, ""},
		{"no line end before a literal", "\n1", nil, 0, "is no plain value"},
		{"a set", "{1, 'a'}", pyvalue.Set{one, "a"}, 8, ""},
		{"the rest is left", "None x", nil, 4, ""},
		{"a dict and a set", "{'a': 1, 2}", nil, 10, "want a colon after each key"},
		{"a number of Python alone", "0x10", nil, 0, "is no plain value"},
		{"a sign alone", "-", nil, 0, "is no plain value"},
		{"a call", "f(1)", nil, 0, "is no plain value"},
		{"a word with a sign", "True-1", nil, 0, "is no plain value"},
		{"a line end", "'a\nb'", nil, 2, "a line end within a text"},
		{"an open text", `'a\'`, nil, 4, "ends early"},
		{"too deep", strings.Repeat("[", 101), nil, 100, "nested deeper than 100"},
	} {
		r := pyvalue.LiteralReader{Text: test.text}
		got, err := r.Value()
		switch {
		case r.At != test.at:
			t.Errorf("%s: reads up to byte %d, want %d", test.why, r.At, test.at)
		case test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)):
			t.Errorf("%s: %v, error %v, want %q", test.why, got, err, test.says)
		case test.says == "" && (err != nil || !reflect.DeepEqual(got, test.want)):
			t.Errorf("%s: %v, error %v, want %v", test.why, got, err, test.want)
		}
	}
}
