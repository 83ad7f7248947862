package scenarios_test

import (
	"context"
	"io"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/run/rollout"
)

// wrong is a server that takes tokens, and a renderer that keeps requests. Each reply is 41.
type wrong struct {
	exact.Bytes
	asked    []quintain.Request
	prompted []quintain.Token // the first prompt
}

func (w *wrong) Render(r quintain.Request) (exact.Rendering, error) {
	w.asked = append(w.asked, r)
	return w.Bytes.Render(r)
}

func (w *wrong) Can() policy.Abilities { return policy.Abilities{} }

func (w *wrong) Generate(_ context.Context, p policy.Prompt) ([]policy.Output, error) {
	if w.prompted == nil {
		w.prompted = p.Tokens
	}
	return []policy.Output{{Tokens: policy.Encode("41"), LogProbs: []float32{-1, -1}, Versions: []int32{0, 0}, Finish: quintain.Stop}}, nil
}

// played plays the first problem of s.
func (w *wrong) played(t *testing.T, s quintain.Scenario) (got quintain.Trajectory) {
	t.Helper()
	p, err := s.Problem(quintain.Draw{})
	if err != nil {
		t.Fatal(err)
	}
	left := 1
	e := &rollout.Engine{
		Policy: exact.New(w, w), Size: 1, Parallel: 1, Sampling: quintain.Sampling{Temperature: 1},
		Next: func(context.Context) (rollout.Job, error) {
			if left--; left < 0 {
				return rollout.Job{}, io.EOF
			}
			return rollout.Job{Scenario: s, Problem: p}, nil
		},
		Done: func(_ context.Context, r rollout.Result) error {
			got = r.Trajectories[0]
			return nil
		},
	}
	if err := e.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestTokensOfARowAreTheFirstPrompt(t *testing.T) {
	const row = `{"query_id":"q","prompt":"6·7?","solutions":["42"],"packed_prompts":[1,0,254,3]}`
	for _, test := range []struct {
		why, row, settings string
		exact              bool
	}{
		{"as they are", row, `{"num_turns":2}`, true},
		{"a system message changes the prompt", row, `{"num_turns":2,"system_prompt":"Be brief."}`, false},
		{"the row has none", `{"prompt":"6·7?","answer":42}`, `{"num_turns":2}`, false},
	} {
		w := &wrong{}
		got := w.played(t, find(t, "math_multi_turn", readProblems(t, test.row), test.settings))
		given := []quintain.Token{1, 0, 254, 3}
		if len(got.Turns) != 2 || slices.Equal(w.prompted, given) != test.exact || !slices.Equal(got.Turns[0].Read, w.prompted) || got.Turns[1].Fork {
			t.Errorf("%s: asked with %v; %+v", test.why, w.prompted, got)
		}
	}
}

func TestFeedbackAsAReaL(t *testing.T) {
	for _, test := range []struct {
		settings string
		alone    bool
		says     string
	}{
		{`{"feedback":"areal","num_turns":3}`, true, "Unfortunately your answer is wrong. Let's try again."},
		{`{"feedback_wrong":"no","num_turns":3}`, false, "no"},
	} {
		w := &wrong{}
		w.played(t, find(t, "math_multi_turn", readProblems(t, problems), test.settings))
		if len(w.asked) != 3 || w.asked[0].Alone || w.asked[1].Alone != test.alone || w.asked[2].Alone != test.alone || w.asked[1].Messages[2].Content != test.says {
			t.Errorf("%s: %+v", test.settings, w.asked)
		}
	}
	e := open(t, find(t, "math_multi_turn", readProblems(t, `{"question":"6·7?","answer":42}`), `{"feedback":"areal","mode":"legacy"}`))
	for _, test := range []struct{ reply, says string }{
		{"42", "Congratulations! You are correct!"},
		{"41", "Unfortunately your answer is wrong. Let's try again."},
		{"Hm.", "Unfortunately your answer is wrong. Let's try again."},
	} {
		step, err := e.Step(t.Context(), quintain.Reply{Text: test.reply, Finish: quintain.Stop})
		if err != nil || len(step.Observe) != 1 || step.Observe[0].Content != test.says || !step.Alone {
			t.Errorf("after %q: %+v, error %v", test.reply, step, err)
		}
	}
}
