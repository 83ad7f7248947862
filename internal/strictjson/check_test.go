package strictjson_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

func TestCheck(t *testing.T) {
	many := func(last string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, `"n%d":0,`, i)
		}
		return `{"a":{` + b.String() + `"` + last + `":0}}`
	}
	members := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"n%d":0`, i)
		}
		return `{"x":{` + b.String()[1:] + `}}`
	}
	for _, test := range []struct{ why, text, want string }{
		{"every kind of value", ` {"a":[1,-2.5e+3,true,false,null,"x\n\u00e9\ud83d\ude00é"],"b":{}} `, ""},
		{"a value alone", `"x"`, ""},
		{"an equal name in another object", `{"a":{"b":1},"b":2}`, ""},
		{"names that differ in case", `{"a":1,"A":2}`, ""},
		{"a name twice", `{"a":1,"b":2,"a":3}`, "a: stands there twice"},
		{"a name twice, once with an escape", `{"x":[{},{"a":1,"\u0061":3}]}`, `x[1].\u0061: stands there twice`},
		{"a name twice among many", many("n3"), "a.n3: stands there twice"},
		{"many names", many("n40"), ""},
		{"a lone high surrogate", `{"a":["\ud83d"]}`, "a[0]: has half a surrogate pair"},
		{"a lone low surrogate", `{"a":"\ude00"}`, "a: has half a surrogate pair"},
		{"two high surrogates", `{"a":"\ud83d\ud83d"}`, "a: has half a surrogate pair"},
		{"a surrogate in a name", `{"a":{"\ud83d":1}}`, "a: has half a surrogate pair"},
		{"a byte that is not UTF-8", "{\"a\":\"\xff\"}", "a: is not UTF-8"},
		{"a surrogate in UTF-8", "{\"a\":\"\xed\xa0\x80\"}", "a: is not UTF-8"},
		{"NaN", `{"a":[{"b":NaN}]}`, "a[0].b: 'N' stands where it may not in JSON"},
		{"a control character", "{\"a\":\"\n\"}", `a: '\n' stands where it may not in JSON`},
		{"a text that ends early", `{"a":[1,`, "a[1]: the JSON ends too early"},
		{"nothing", ``, "the JSON ends too early"},
		{"more after the value", `{} {}`, "'{' stands where it may not in JSON"},
		{"a zero byte after the value", "{}\x00", `'\x00' stands where it may not in JSON`},
		{"no colon", `{"a" 1}`, "'1' stands where it may not in JSON"},
		{"no comma", `[1 2]`, "'2' stands where it may not in JSON"},
		{"no comma in an object", `{"a":1 "b":2}`, `'"' stands where it may not in JSON`},
		{"no name", `{1:2}`, "'1' stands where it may not in JSON"},
		{"as deep as allowed", `[[[[1]]]]`, ""},
		{"deeper", `[[[[[1]]]]]`, "[0][0][0][0]: is nested deeper than 4"},
		{"as many names as allowed", members(100_000), ""},
		{"too many names", members(100_001), "x: has more than 100000 members"},
		{"a long name", `{"` + strings.Repeat("é", 100) + `":x}`, strings.Repeat("é", 32) + "…: 'x' stands where it may not in JSON"},
	} {
		got := ""
		if fault := strictjson.Check([]byte(test.text), 4); fault != nil {
			got = strings.TrimSuffix(fault.Error(), " literal") // Go 1.26 says it, and 1.27 does not
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
}

// What Check accepts, encoding/json accepts.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{"a":[1,{"b":"\ud83d\ude00"}]}`, `{"a":1,"a":2}`, `[[1.5e3,null]]`, "{}\x00", `"\ud800"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		fault := strictjson.Check(text, 64)
		if fault == nil && !json.Valid(text) {
			t.Errorf("%q passes", text)
		}
		if fault != nil && fault.Why == "" {
			t.Errorf("%q: no reason", text)
		}
	})
}
