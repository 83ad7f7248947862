package scenario_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenario/scenariotest"
	"github.com/quintain-rl/quintain/task/answer"
)

// A guess is a task whose record is the answer; the tagged answer silver is worth a half.
type guess struct{}

func (guess) Info() quintain.Info {
	return quintain.Info{Name: "guess", Levels: []json.RawMessage{[]byte("{}")}}
}

func (guess) Problem(d quintain.Draw) (quintain.Problem, error) {
	return quintain.Problem{Task: "guess", Index: d.Index, Prompt: fmt.Sprintf("Guess %d.", d.Index), Instance: quintain.RawRecord([]byte(`"gold"`))}, nil
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

// A oneTurn is the scenario of a OneTurn.
type oneTurn struct {
	scenario.OneTurn
	Loud bool
}

func (o *oneTurn) Declare(d *settings.Section) { d.Bool(&o.Loud, "loud", "ask loudly") }

func (o *oneTurn) Env(t quintain.Task, p quintain.Problem) (quintain.Env, error) {
	return o.OneTurn.Env(t, p), nil
}

// spec returns the scenario of how.
func spec(how scenario.OneTurn) scenario.Spec {
	return scenario.Spec{
		Name: "one_turn", Doc: "A test.", Source: "None.", Version: 1,
		New: func() scenario.Play { return &oneTurn{OneTurn: how} },
	}
}

// over returns the scenario of how over guess.
func over(t *testing.T, how scenario.OneTurn) quintain.Scenario {
	t.Helper()
	s, err := spec(how).Over(guess{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOneTurnKeepsItsPromises(t *testing.T) {
	scenariotest.Run(t, []scenario.Spec{spec(scenario.OneTurn{Extract: answer.Tagged, Dual: true, System: "Think."})}, []quintain.Task{guess{}})
}

func TestScenarioIsNamedByItsSettings(t *testing.T) {
	def, err := spec(scenario.OneTurn{}).Over(guess{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	loud, err := spec(scenario.OneTurn{}).Over(guess{}, []byte(`{"loud":true}`))
	if err != nil {
		t.Fatal(err)
	}
	if id := def.Info().ID(); id != "one_turn.v1" {
		t.Errorf("with the defaults its ID is %q", id)
	}
	if id := loud.Info().ID(); !strings.HasPrefix(id, "one_turn.v1-") || len(id) != len("one_turn.v1-123456") {
		t.Errorf("with other settings its ID is %q", id)
	}
	p, err := def.Problem(quintain.Draw{Index: 3})
	if err != nil || p.ID() != "one_turn.v1/guess.v0.s0.l0.3" {
		t.Errorf("problem %s, error %v", p.ID(), err)
	}
	if _, err := loud.Env(p); err == nil {
		t.Error("a problem with other settings is played")
	}
	for _, bad := range []string{`{"lout":true}`, `{"loud":1}`, `[]`} {
		if _, err := spec(scenario.OneTurn{}).Over(guess{}, []byte(bad)); err == nil || !strings.Contains(err.Error(), "scenario one_turn") {
			t.Errorf("settings %s: error %v", bad, err)
		}
	}
}

func TestOneTurnJudgesTheReply(t *testing.T) {
	strict := scenario.OneTurn{Extract: answer.Tagged}
	dual := scenario.OneTurn{Extract: answer.Tagged, Dual: true}
	for _, test := range []struct {
		how       scenario.OneTurn
		reply     quintain.Reply
		want      float64
		malformed bool
		end       quintain.End
		says      string
	}{
		{scenario.OneTurn{}, quintain.Reply{Text: " gold\n"}, 1, false, quintain.Terminated, ""},
		{strict, quintain.Reply{Text: "<think>lead?</think><answer>gold</answer>"}, 1, false, quintain.Terminated, ""},
		{strict, quintain.Reply{Text: "gold"}, 0, true, quintain.Terminated, "no <answer>"},
		{strict, quintain.Reply{Text: "<answer>gold</answer><answer>gold</answer>"}, 0, true, quintain.Terminated, "more than one"},
		{strict, quintain.Reply{Text: "<answer>silver</answer>"}, 0, false, quintain.Terminated, "no"},
		{dual, quintain.Reply{Text: "<answer>silver</answer>"}, 0.5, false, quintain.Terminated, "close"},
		{strict, quintain.Reply{Text: "<think>gold", Finish: quintain.Length}, 0, true, quintain.Truncated, "length limit"},
	} {
		s := over(t, test.how)
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

// An unreadable problem is an error even if the reply is malformed: our own fault must
// never become a reward of 0.
func TestUnreadableProblemIsAnError(t *testing.T) {
	for _, text := range []string{"<answer>gold</answer>", "no tags"} {
		e, err := over(t, scenario.OneTurn{Extract: answer.Tagged}).Env(quintain.Problem{Task: "guess", Scenario: "one_turn.v1", Instance: quintain.RawRecord([]byte("{"))})
		if err != nil {
			t.Fatal(err)
		}
		var syntax *json.SyntaxError
		if step, err := e.Step(t.Context(), quintain.Reply{Text: text}); !errors.As(err, &syntax) {
			t.Errorf("%q: %+v, error %v", text, step, err)
		}
	}
}
