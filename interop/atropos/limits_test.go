package atropos

import (
	"errors"
	"strings"
	"testing"
)

// TestLimits stops at the first element too many.
func TestLimits(t *testing.T) {
	r := Reader{Limits: Limits{Groups: 2, Sequences: 3, Tokens: 80}}
	row := "[" + strings.Repeat("1,", 79) + "1]"
	long := "[" + strings.Repeat("1,", 2000) + "1]"
	group := func(fields string) string { return `[{"tokens":[[1]],"masks":[[1]],"scores":[1]` + fields + `}]` }
	for _, test := range []struct{ why, text, want string }{
		{"as much as may be", `[{"tokens":[` + row + `],"masks":[` + row + `],"scores":[1]}]`, ""},
		{"groups", "[" + strings.Repeat(group("")[1:len(group(""))-1]+",", 2) + "[[[[", "List should have at most 2 elements"},
		{"sequences", `[{"tokens":[[],[],[],[`, "[0].tokens: List should have at most 3 elements"},
		{"masks", `[{"masks":[[],[],[],[`, "[0].masks: List should have at most 3 elements"},
		{"tokens", `[{"tokens":[` + long + `,[`, "[0].tokens[0]: List should have at most 80 elements"},
		{"advantages", group(`,"advantages":[[],[],[],[`), "[0].advantages: List should have at most 3 elements"},
		{"advantages of a sequence", group(`,"advantages":[` + long), "[0].advantages[0]: List should have at most 80 elements"},
		{"log-probabilities that repeat", group(`,"ref_logprobs":[[` + strings.Repeat("0.5,", 2000) + "1]"), "[0].ref_logprobs[0]: List should have at most 80 elements"},
		{"log-probabilities", group(`,"inference_logprobs":[[` + strings.Repeat("-0.12345678901234567,", 2000) + "1]"), "[0].inference_logprobs[0]: List should have at most 80 elements"},
		{"overrides", group(`,"overrides":[{},{},{},{`), "[0].overrides: List should have at most 3 elements"},
		{"sequences that are distilled", group(`,"distill_token_ids":[[],[],[],[`), "[0].distill_token_ids: List should have at most 3 elements"},
		{"tokens that are distilled", group(`,"distill_logprobs":[[` + strings.Repeat("[],", 80) + "[["), "[0].distill_logprobs[0]: List should have at most 80 elements"},
		{"a long name with escapes", `[{"\u0041` + strings.Repeat("a", maxEscaped) + `":1}]`, "[0]: a name or a short text should not have 65536 bytes"},
	} {
		_, err := r.Groups([]byte(test.text))
		if test.want == "" && err != nil || err != nil && err.Error() != test.want || test.want != "" && err == nil {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		}
	}
}

// hostile are texts that would take much memory for their size.
var hostile = map[string][3]string{ // the repeated part, with the parts before and after
	"empty sequences":      {`{"tokens":[`, `[],`, `[1]],"masks":[],"scores":[]}`},
	"tokens":               {`{"tokens":[[`, `1,`, `1]],"masks":[[1]],"scores":[1]}`},
	"scores":               {`{"tokens":[[1]],"masks":[[1]],"scores":[`, `1,`, `1]}`},
	"distilled tokens":     {`{"tokens":[[1]],"masks":[[1]],"scores":[1],"distill_token_ids":[[`, `[],`, `[]]]}`},
	"distilled numbers":    {`{"tokens":[[1]],"masks":[[1]],"scores":[1],"distill_logprobs":[`, `[],`, `[]]}`},
	"long hints":           {`{"tokens":[[1]],"masks":[[1]],"scores":[1],"distill_logprobs":[[[1],[1],[1],[1],[1],[1],[1],[1],[1]],`, `[[]],`, `[]]}`},
	"overrides":            {`{"tokens":[[1]],"masks":[[1]],"scores":[1],"overrides":[`, `{},`, `{}]}`},
	"messages":             {`{"tokens":[[1]],"masks":[[1]],"scores":[1],"messages":[`, `[],`, `[]]}`},
	"keys":                 {`{`, `"a":1,`, `"b":1}`},
	"the same field again": {`{"tokens":[[1],[1],[1],[1],[1],[1],[1],[1]],`, `"masks":[[]],`, `"masks":[[]],"scores":[1]}`},
	"groups":               {`[`, `{"tokens":[[1]],"masks":[[1]],"scores":[1]},`, `{"tokens":[[1]],"masks":[[1]],"scores":[1]}]`},
}

// TestReserve reads texts that would take much memory for their size. The reader reserves
// all its memory, and stops when refused.
func TestReserve(t *testing.T) {
	refused := errors.New("refused")
	for why, parts := range hostile {
		text := []byte(parts[0] + strings.Repeat(parts[1], 1<<20/len(parts[1])) + parts[2])
		for _, most := range []int{256 << 20, 4 << 20, 100_000} {
			r, asked, stopped := Reader{}, 0, false
			r.Limits.Reserve = func(bytes int) error {
				if stopped {
					t.Errorf("%s: went on", why)
				}
				if asked += bytes; asked > most {
					stopped = true
					return refused
				}
				return nil
			}
			read := func() (err error) {
				if parts[0] == "[" {
					_, err = r.Groups(text)
				} else {
					_, err = r.Group(text)
				}
				return err
			}
			if err := read(); stopped != errors.Is(err, refused) {
				t.Errorf("%s: refused %v, error %v", why, stopped, err)
			}
			if asked > 64*len(text) {
				t.Errorf("%s: %d bytes take %d", why, len(text), asked)
			}
			if kept := r.Forget(); kept > 7*keptBytes {
				t.Errorf("%s: keeps %d bytes", why, kept)
			}
		}
	}
}
