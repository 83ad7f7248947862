package hub

import (
	"strings"
	"testing"
)

func TestVerifyMath(t *testing.T) {
	f := newFixture(t, nil, Config{})
	pair := `{"gold":"1/2","answer":"it is \\boxed{0.5}"}`
	for _, test := range []struct {
		why, body string
		status    int
		want      string // part of the reply
	}{
		{"one pair", pair, 200, `{"equal":true,"reason":"same_exact","extracted":"0.5"}`},
		{"another answer", `{"gold":"1/2","answer":"0.51"}`, 200, `"equal":false,"reason":"different"`},
		{"no answer", `{"gold":"1/2","answer":null}`, 200, `"reason":"no_answer"`},
		{"several pairs, in their order", `{"pairs":[` + pair + `,{"gold":"2","answer":"3"}]}`, 200, `{"verdicts":[{"equal":true,"reason":"same_exact","extracted":"0.5"},{"equal":false,`},
		{"no pairs", `{"pairs":[]}`, 200, `{"verdicts":[]}`},
		{"no gold", `{"answer":"3"}`, 422, "gold is missing"},
		{"no gold in one of several", `{"pairs":[` + pair + `,{"answer":"3"}]}`, 422, "pairs.1: gold is missing"},
		{"no JSON", `gold=1`, 400, "neither"},
		{"a gold that is no text", `{"gold":1,"answer":"1"}`, 400, "neither"},
		{"too many pairs", `{"pairs":[` + strings.Repeat(pair+",", 1000) + pair + `]}`, 413, "at most 1000"},
		{"a body that is too large", `{"gold":"1","answer":"` + strings.Repeat("a", 8<<20) + `"}`, 413, "bytes"},
		{"a hostile text", `{"gold":"7","answer":"` + strings.Repeat("(", 50_000) + `"}`, 200, `"equal":false`},
	} {
		w := f.do("POST", "/v1/math/verify", test.body)
		if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
			t.Errorf("%s: %d %.200s, want %d and %s", test.why, w.Code, w.Body, test.status, test.want)
		}
	}
}
