package exchange_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
	"github.com/quintain-rl/quintain/envs"
	"github.com/quintain-rl/quintain/exchange"
	"github.com/quintain-rl/quintain/task"
)

// newDesk returns a desk for all tasks.
func newDesk(t testing.TB) exchange.Desk {
	t.Helper()
	set, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	return exchange.Desk{Tasks: set, Replies: new(envs.ReasoningGym)}
}

func TestDeskAnswers(t *testing.T) {
	const sum = `{"task":"chain_sum","instance":{"num_terms":2,"num_digits":1,"expression":"2 + 3"}}`
	for _, test := range []struct{ why, line, want string }{
		{"a right answer", `{"problem":` + sum + `,"answer":"5"}`, `{"score":1,"malformed":false,"reason":""}`},
		{"a wrong answer", `{"problem":` + sum + `,"answer":"6"}`, `{"score":0,"malformed":false,"reason":"want \"5\""}`},
		{"no answer", `{"problem":` + sum + `,"answer":null}`, `{"score":0,"malformed":true,"reason":"there is no answer"}`},
		{"a missing answer", `{"problem":` + sum + `}`, `{"error":"line 1: answer: is missing; want a string, or null for none"}`},
		{"an answer that is no text", `{"problem":` + sum + `,"answer":5}`, `{"error":"line 1: answer: want a string, or null for none"}`},
		{"names in escapes", `{"\u0070roblem":` + sum + `,"answer":"5"}`, `{"score":1,"malformed":false,"reason":""}`},
		{"a right reply", `{"problem":` + sum + `,"reply":"<think>6?</think><answer>5</answer>"}`, `{"score":1,"malformed":false,"reason":""}`},
		{"a reply without tags", `{"problem":` + sum + `,"reply":"5"}`, `{"score":0,"malformed":true,"reason":"there is no \u003canswer\u003e…\u003c/answer\u003e outside the thinking"}`},
		{"no reply", `{"problem":` + sum + `,"reply":null}`, `{"score":0,"malformed":true,"reason":"there is no \u003canswer\u003e…\u003c/answer\u003e outside the thinking"}`},
		{"messages", `{"open":{"task":"chain_sum","prompt":"2 + 3?"}}`, `{"messages":[{"role":"system","content":"You solve`},
		{"messages of a problem that is none", `{"open":5}`, ""},
		{"an unknown task", `{"problem":{"task":"chain_some"},"reply":"5"}`, `{"error":"line 1: no task \"chain_some\"; did you mean \"chain_sum\"?"}`},
		{"a problem that cannot be graded", `{"problem":{"task":"chain_sum","instance":{"expression":"x"}},"answer":"5"}`, ""},
		{"mathematics", `{"gold":"1/2","answer":"\\boxed{0.5}"}`, `{"equal":true,"reason":`},
		{"mathematics that is no text", `{"gold":1,"answer":"1"}`, `{"error":"line 1: the line is not`},
		{"a draw of an unknown task", `{"draw":{"task":"chain_some"}}`, `{"error":"line 1: no task \"chain_some\"; did you mean \"chain_sum\"?"}`},
		{"a draw beyond the levels", `{"draw":{"task":"chain_sum","level":99}}`, ""},
		{"a draw with a name that is none", `{"draw":{"task":"chain_sum","lvl":1}}`, `{"error":"line 1: draw: json: unknown field \"lvl\""}`},
		{"a draw with wrong params", `{"draw":{"task":"chain_sum","params":{"min_terms":-1}}}`, ""},
		{"none of these", `{}`, `{"error":"line 1: the line has none of draw, open, problem and gold"}`},
		{"no object", `[]`, ""},
	} {
		var out strings.Builder
		err := newDesk(t).Answer(t.Context(), strings.NewReader(test.line), &out)
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
func TestDeskDraws(t *testing.T) {
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
	if err := newDesk(t).Answer(t.Context(), strings.NewReader(in.String()), &out); err != nil || out.String() != want.String() {
		t.Errorf("drawn %s, error %v; want %s", out.String(), err, want.String())
	}
}

// A problem that was drawn at the same desk is graded as one that comes from elsewhere.
func TestDeskGradesWhatItDrew(t *testing.T) {
	var draws, grades strings.Builder
	for _, info := range newDesk(t).Tasks.All() {
		fmt.Fprintf(&draws, `{"draw":{"task":%q,"seed":3}}`+"\n", info.Info().Name)
	}
	desk := newDesk(t)
	var drawn strings.Builder
	if err := desk.Answer(t.Context(), strings.NewReader(draws.String()), &drawn); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(drawn.String()) {
		for _, answer := range []string{`"1"`, `"[[1, 2]]"`, `"a\u0301"`, "null"} {
			fmt.Fprintf(&grades, `{"problem":%s,"answer":%s}`+"\n", strings.TrimSpace(line), answer)
		}
	}
	var there, elsewhere strings.Builder
	if err := desk.Answer(t.Context(), strings.NewReader(draws.String()+grades.String()), &there); err != nil {
		t.Fatal(err)
	}
	if err := desk.Answer(t.Context(), strings.NewReader(grades.String()), &elsewhere); err != nil {
		t.Fatal(err)
	}
	if there.String() != drawn.String()+elsewhere.String() {
		t.Error("the verdicts differ")
	}
}

// Whatever comes, a request gives one line of JSON.
func FuzzDesk(f *testing.F) {
	for _, line := range []string{
		`{"draw":{"task":"gcd","seed":1,"level":1,"index":2,"params":null}}`,
		`{"problem":{"task":"gcd","instance":{"numbers":[4,6]}},"answer":"2"}`,
		`{"problem":{"task":"gcd","instance":{"numbers":[4,6]}},"reply":"<answer>2</answer>"}`,
		`{"open":{"task":"gcd","prompt":"4, 6?"}}`,
		`{"gold":"x^2","answer":"x*x"}`,
	} {
		f.Add(line)
	}
	desk := newDesk(f)
	f.Fuzz(func(t *testing.T, line string) {
		line = strings.ReplaceAll(line, "\n", "")
		var out strings.Builder
		err := desk.Answer(t.Context(), strings.NewReader(line), &out)
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
