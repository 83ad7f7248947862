package strictjson_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A member belongs to a field whose tag it spells letter by letter; where no tag names the field,
// letters may differ, as encoding/json has it.
func TestNamesAreReadLetterByLetter(t *testing.T) {
	type inner struct {
		A int `json:"a"`
	}
	type form struct {
		Reward float64          `json:"reward"`
		Camel  int              `json:"camelCase"`
		Kind   string           `json:"kind"`
		Of     []inner          `json:"of"`
		By     map[string]inner `json:"by"`
		Bare   int
	}
	for _, test := range []struct {
		text   string
		want   form
		strict string // the error of a strict reader; empty: none
	}{
		{`{"reward": 1, "Reward": 3}`, form{Reward: 1}, `unknown field "Reward"`},
		{`{"Reward": 3, "reward": 1}`, form{Reward: 1}, `unknown field "Reward"`},
		{`{"\u0052eward": 3, "re\u0077ard": 1}`, form{Reward: 1}, `unknown field "Reward"`},
		{`{"ſ": 1, "\u212aind": "x", "kind": "y"}`, form{Kind: "y"}, "unknown field \"\u212aind"},
		{`{"camelCase": 1, "camelcase": 2, "CamelCase": 3}`, form{Camel: 1}, `unknown field "camelcase"`},
		{`{"of": [{"A": 1}, {"a": 2, "b": "A\\"}], "by": {"A": {"A": 3, "a": 4}}}`, form{Of: []inner{{}, {2}}, By: map[string]inner{"A": {4}}}, `unknown field "A"`},
		{`{"bare": 5}`, form{Bare: 5}, ""},
		{`{"reward": 1, "kind": "Reward\": 3"}`, form{Reward: 1, Kind: `Reward": 3`}, ""},
	} {
		var got form
		if err := strictjson.Unmarshal([]byte(test.text), &got); err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v, %v", test.text, got, err)
		}
		err := strictjson.UnmarshalKnown([]byte(test.text), new(form))
		if (err == nil) != (test.strict == "") || err != nil && !strings.Contains(err.Error(), test.strict) {
			t.Errorf("%s: a strict reader says %v", test.text, err)
		}
	}
}
