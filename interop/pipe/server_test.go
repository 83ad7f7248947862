package pipe_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/task"
)

// newServer returns a server for some tasks.
func newServer(t testing.TB) pipe.Server {
	t.Helper()
	set, err := task.NewSet(few())
	if err != nil {
		t.Fatal(err)
	}
	replies, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		t.Fatal(err)
	}
	return pipe.Server{Tasks: set, Replies: replies}
}

func TestServerAnswers(t *testing.T) {
	const sum = `{"task":"chain_sum","instance":{"num_terms":2,"num_digits":1,"expression":"2 + 3"}}`
	const right, untagged = `{"scores":[1],"malformed":[false],"reasons":[""]}`, `there is no \u003canswer\u003e…\u003c/answer\u003e outside the thinking`
	for _, test := range []struct{ why, line, want string }{
		{"a right answer", `{"problems":[` + sum + `],"answers":["5"]}`, right},
		{"several", `{"problems":[` + sum + `,` + sum + `],"answers":["6",null]}`, `{"scores":[0,0],"malformed":[false,true],"reasons":["want \"5\"","there is no answer"]}`},
		{"none", `{"problems":[],"answers":[]}`, `{"scores":[],"malformed":[],"reasons":[]}`},
		{"missing answers", `{"problems":[` + sum + `]}`, `{"error":"line 1: answers or replies: want a list"}`},
		{"an answer too few", `{"problems":[` + sum + `,` + sum + `],"answers":["5"]}`, `{"error":"line 1: problems: want a list of 1, one for each text"}`},
		{"a problem too few", `{"problems":[],"answers":["5"]}`, `{"error":"line 1: problems: want a list of 1, one for each text"}`},
		{"problems that are no list", `{"problems":` + sum + `,"answers":["5"]}`, `{"error":"line 1: problems: want a list of 1, one for each text"}`},
		{"an answer that is no text", `{"problems":[` + sum + `],"answers":[5]}`, `{"error":"line 1: answer: want a string, or null for none"}`},
		{"names in escapes", `{"\u0070roblems":[` + sum + `],"answers":["5"]}`, right},
		{"a number, and then the problem by it", `{"problems":[[7,` + sum + `],7],"answers":["6","5"]}`, `{"scores":[0,1],`},
		{"a number that stands for nothing", `{"problems":[` + sum + `,7],"answers":["5","5"]}`, `{"forgotten":true}`},
		{"a number that is none", `{"problems":[["7",` + sum + `]],"answers":["5"]}`, `{"error":"line 1: problem: want a problem, its number, or both as a list"}`},
		{"a number in place of a problem that gets one", `{"problems":[[7,` + sum + `],[8,7]],"answers":["5","5"]}`, ""},
		{"a number for nothing", `{"problems":[[7]],"answers":["5"]}`, `{"error":"line 1: problem: want a problem, its number, or both as a list"}`},
		{"a number for a problem that cannot be graded", `{"problems":[[7,{"task":"chain_sum","instance":{"expression":"x"}}]],"answers":["5"]}`, ""},
		{"a number for a problem of no task", `{"problems":[[7,{"task":"chain_some"}]],"answers":["5"]}`, `{"error":"line 1: no task \"chain_some\"; did you mean \"chain_sum\"?"}`},
		{"a right reply", `{"problems":[` + sum + `],"replies":["<think>6?</think><answer>5</answer>"]}`, right},
		{"a reply without tags", `{"problems":[` + sum + `],"replies":["5"]}`, `{"scores":[0],"malformed":[true],"reasons":["` + untagged + `"]}`},
		{"no reply", `{"problems":[` + sum + `],"replies":[null]}`, `{"scores":[0],"malformed":[true],"reasons":["` + untagged + `"]}`},
		{"messages", `{"open":{"task":"chain_sum","prompt":"2 + 3?"}}`, `{"messages":[{"role":"system","content":"You solve`},
		{"messages with settings", `{"open":{"task":"chain_sum","prompt":"2 + 3?"},"settings":{"short_prompts":false}}`, `{"messages":[{"role":"system","content":"You solve`},
		{"messages with examples", `{"open":` + sum + `,"settings":{"examples":2}}`, `{"messages":[{"role":"system","content":"Answer with nothing but`},
		{"unknown settings", `{"open":` + sum + `,"settings":{"example":2}}`, `{"error":"line 1: settings: example: there is no such setting; did you mean \"examples\"?"}`},
		{"messages of a problem that is none", `{"open":5}`, ""},
		{"an unknown task", `{"problems":[{"task":"chain_some"}],"replies":["5"]}`, `{"error":"line 1: no task \"chain_some\"; did you mean \"chain_sum\"?"}`},
		{"a problem that cannot be graded", `{"problems":[{"task":"chain_sum","instance":{"expression":"x"}}],"answers":["5"]}`, ""},
		{"mathematics", `{"gold":"1/2","answer":"\\boxed{0.5}"}`, `{"equal":true,"reason":`},
		{"mathematics that is no text", `{"gold":1,"answer":"1"}`, `{"error":"line 1: the line is not`},
		{"a draw of an unknown task", `{"draw":{"task":"chain_some"}}`, `{"error":"line 1: no task \"chain_some\"; did you mean \"chain_sum\"?"}`},
		{"a draw beyond the levels", `{"draw":{"task":"chain_sum","level":99}}`, ""},
		{"a draw with a number that is none", `{"draw":{"task":"chain_sum"},"as":"7"}`, `{"error":"line 1: as: want a whole number"}`},
		{"a draw with a name that is none", `{"draw":{"task":"chain_sum","lvl":1}}`, `{"error":"line 1: draw: unknown field \"lvl\""}`},
		{"a draw with wrong params", `{"draw":{"task":"chain_sum","params":{"min_terms":-1}}}`, ""},
		{"none of these", `{}`, `{"error":"line 1: the line has none of draw, open, problems and gold"}`},
		{"no object", `[]`, ""},
	} {
		var out strings.Builder
		err := newServer(t).Serve(t.Context(), strings.NewReader(test.line), &out)
		want := test.want
		if want == "" {
			want = `{"error":"line 1: `
		}
		if (err != nil) != strings.HasPrefix(want, `{"error"`) || !strings.HasPrefix(out.String(), want) {
			t.Errorf("%s: %sand error %v, want %s", test.why, out.String(), err, want)
		}
	}
}

// A draw gives the problem of the task itself, with the params of its own line.
func TestServerDraws(t *testing.T) {
	sum := named(t, "chain_sum")
	own, err := sum.With(json.RawMessage(`{"min_terms":3}`))
	if err != nil {
		t.Fatal(err)
	}
	var in, want strings.Builder
	for i := range 200 {
		of, d, how := sum, quintain.Draw{Seed: 1<<64 - 1, Level: i % 3, Index: i}, fmt.Sprintf(`"level":%d`, i%3)
		if i%2 == 1 {
			of, d.Level, how = own, 0, `"params":{"min_terms":3}`
		}
		fmt.Fprintf(&in, `{"draw":{"task":"chain_sum","seed":18446744073709551615,%s,"index":%d}}`+"\n", how, i)
		want.WriteString(alone(t, "quintain", of, d, 1))
	}
	var out strings.Builder
	if err := newServer(t).Serve(t.Context(), strings.NewReader(in.String()), &out); err != nil || out.String() != want.String() {
		t.Errorf("drawn %s, error %v; want %s", out.String(), err, want.String())
	}
}

// Any request gives one line of JSON.
func FuzzServer(f *testing.F) {
	for _, line := range []string{
		`{"draw":{"task":"gcd","seed":1,"level":1,"index":2,"params":null}}`,
		`{"problems":[{"task":"gcd","instance":{"numbers":[4,6]}}],"answers":["2"]}`,
		`{"problems":[[1,{"task":"gcd","instance":{"numbers":[4,6]}}],1,2],"replies":["<answer>2</answer>",null,""]}`,
		`{"open":{"task":"gcd","prompt":"4, 6?"}}`,
		`{"gold":"x^2","answer":"x*x"}`,
	} {
		f.Add(line)
	}
	server := newServer(f)
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.ReplaceAll(line, "\n", "")
		var out strings.Builder
		err := server.Serve(t.Context(), strings.NewReader(line), &out)
		got := out.String()
		if strings.TrimRight(line, "\r ") == "" {
			if got != "" || err != nil {
				t.Errorf("a blank line gives %q, error %v", got, err)
			}
			return
		}
		if strings.Count(got, "\n") != 1 || !json.Valid([]byte(got)) || (err != nil) != strings.HasPrefix(got, `{"error":`) {
			t.Errorf("%q gives %q, error %v", line, got, err)
		}
	})
}
