package env_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/env"
	"github.com/quintain-rl/quintain/env/envtest"
)

// A guess is a task whose answer is its record; a tagged answer is worth a half.
type guess struct{}

func (guess) Info() quintain.Info {
	return quintain.Info{Name: "guess", Levels: []json.RawMessage{[]byte("{}")}}
}

func (guess) Problem(d quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Task: "guess", Index: d.Index, Prompt: "Guess.", Instance: quintain.RawRecord([]byte(`"gold"`))}, nil
}

func (g guess) With(json.RawMessage) (quintain.Task, error) { return g, nil }

func (guess) Grade(p quintain.Problem, text string) (quintain.Verdict, error) {
	var want string
	if err := json.Unmarshal([]byte(p.Instance.String()), &want); err != nil {
		return quintain.Verdict{}, err
	}
	switch text {
	case want:
		return quintain.Right(), nil
	case "<answer>silver</answer>":
		return quintain.Partial(0.5, "close"), nil
	}
	return quintain.Wrong("no"), nil
}

func (guess) Solve(quintain.Problem) (string, error) { return "gold", nil }

func TestSingleKeepsItsPromises(t *testing.T) {
	envtest.Run(t, env.Single(guess{}, env.Settings{}), func(quintain.Problem) string { return "gold" })
	envtest.Run(t, env.Single(guess{}, env.Settings{Extract: answer.Tagged, Dual: true, System: "Think."}),
		func(quintain.Problem) string { return "<answer>gold</answer>" })
}

func TestSingle(t *testing.T) {
	strict := env.Settings{Extract: answer.Tagged}
	dual := env.Settings{Extract: answer.Tagged, Dual: true}
	for _, test := range []struct {
		settings  env.Settings
		reply     quintain.Reply
		want      float64
		malformed bool
		end       quintain.End
		says      string
	}{
		{env.Settings{}, quintain.Reply{Text: " gold\n"}, 1, false, quintain.Terminated, ""},
		{strict, quintain.Reply{Text: "<think>lead?</think><answer>gold</answer>"}, 1, false, quintain.Terminated, ""},
		{strict, quintain.Reply{Text: "gold"}, 0, true, quintain.Terminated, "no <answer>"},
		{strict, quintain.Reply{Text: "<answer>gold</answer><answer>gold</answer>"}, 0, true, quintain.Terminated, "more than one"},
		{strict, quintain.Reply{Text: "<answer>silver</answer>"}, 0, false, quintain.Terminated, "no"},
		{dual, quintain.Reply{Text: "<answer>silver</answer>"}, 0.5, false, quintain.Terminated, "close"},
		{strict, quintain.Reply{Text: "<think>gold", Finish: quintain.Length}, 0, true, quintain.Truncated, "length limit"},
	} {
		s := env.Single(guess{}, test.settings)
		p, err := s.Problem(quintain.Draw{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Env(p)
		if err != nil {
			t.Fatal(err)
		}
		step, err := e.Step(t.Context(), test.reply)
		if err != nil || step.Reward != test.want || step.Malformed != test.malformed || step.End != test.end || !strings.Contains(step.Why, test.says) {
			t.Errorf("%+v: %+v, error %v; want %v, %q", test.reply, step, err, test.want, test.says)
		}
	}
}

// A problem that cannot be read is an error even where the reply is malformed: a
// fault of ours is never a reward of 0.
func TestUnreadableProblemIsAnError(t *testing.T) {
	for _, text := range []string{"<answer>gold</answer>", "no tags"} {
		e, err := env.Single(guess{}, env.Settings{Extract: answer.Tagged}).Env(quintain.Problem{Task: "guess", Instance: quintain.RawRecord([]byte("{"))})
		if err != nil {
			t.Fatal(err)
		}
		var syntax *json.SyntaxError
		if step, err := e.Step(t.Context(), quintain.Reply{Text: text}); !errors.As(err, &syntax) {
			t.Errorf("%q: %+v, error %v", text, step, err)
		}
	}
}
