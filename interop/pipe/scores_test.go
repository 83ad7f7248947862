package pipe_test

import (
	"context"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/task"
)

// With the scores of reasoning-gym, an entry's own answer counts, right or wrong.
func TestGradeByReasoningGym(t *testing.T) {
	tasks, err := task.NewSet(few())
	if err != nil {
		t.Fatal(err)
	}
	const (
		syllogism = `{"entry":{"question":"","answer":"Yes","metadata":{"source_dataset":"syllogism","premise1":"All cats are animals","premise2":"All dogs are animals","conclusion":"All cats are dogs"}},"answer":`
		sum       = `{"problem":{"task":"chain_sum","version":3,"seed":"1","level":0,"index":0,"prompt":"","instance":{"expression":"30 + 12","num_terms":2,"num_digits":2}},"answer":`
	)
	for _, test := range []struct{ why, format, line, ours, theirs string }{
		{"a wrong label", "reasoning-gym", syllogism + `"Yes"}`, `"score":0,`, `"score":1,`},
		{"a text that contains it", "reasoning-gym", syllogism + `"Yes, or"}`, `"score":0,`, `"score":0.42857`},
		{"no answer", "reasoning-gym", syllogism + `null}`, `"score":0,"malformed":true,"reason":"there is no answer"`, `"score":0,"malformed":true,"reason":"there is no answer"`},
		{"a problem", "quintain", sum + `"not 42"}`, `"score":0,`, `"score":0.3333333333333333,`},
		{"no answer to a problem", "quintain", sum + `null}`, `"reason":"there is no answer"`, `"reason":"there is no answer"`},
		{"a right answer that reasoning-gym does not take", "quintain", sum + `"$42$"}`, `"score":1,`, `"score":0.5,"malformed":false,"reason":"right, but reasoning-gym pays 0.5 for it"`},
		{"no entry", "reasoning-gym", `{"answer":"1"}`, `entry: is missing`, `entry: is missing`},
		{"an unreadable one", "reasoning-gym", `{"entry":{"metadata":[]},"answer":"1"}`, `entry.metadata`, `entry.metadata`},
	} {
		form, err := pipe.FormatOf(test.format)
		if err != nil {
			t.Fatal(err)
		}
		for by, want := range map[reasoninggym.By]string{reasoninggym.Ours: test.ours, reasoninggym.ReasoningGym: test.theirs} {
			var out strings.Builder
			_ = pipe.Grader{Tasks: tasks, Format: form, Scores: by}.Grade(context.Background(), strings.NewReader(test.line), &out) // the line tells
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s, by %s: %s, want %s", test.why, by, strings.TrimSpace(out.String()), want)
			}
		}
	}
}
