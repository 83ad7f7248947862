package toolbox

import (
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/task/rng"
)

// lamps is a house of lamps, of which some are to be switched. Another one switches the lamp of the
// hall with each call.
type lamps struct {
	On map[string]bool `json:"on"`
}

type lampParams struct{}

func (lampParams) Check() error { return nil }

func (lamps) Goal(w int) string {
	return fmt.Sprint("Switch on the lamps of kitchen and attic, and count all lamps. ", w)
}
func (lamps) Answer() scenario.Param { return scenario.Param{Name: "answer", Type: scenario.Int()} }
func (l lamps) Canonical() string    { return fmt.Sprint(l.On) }
func (lamps) Plan() []quintain.ToolCall {
	return []quintain.ToolCall{
		Call("switch", map[string]string{"room": "kitchen"}), Call("switch", map[string]string{"room": "attic"}), Call("finish", map[string]int{"answer": 4}),
	}
}

func (l lamps) World() World {
	return &house{on: maps.Clone(l.On)}
}

// A house is an episode.
type house struct {
	on   map[string]bool
	call int
	left bool
}

func (h *house) Tools() scenario.Kit {
	return scenario.Kit{
		Tool("switch", "Switch a lamp.", []scenario.Param{{Name: "room", Type: scenario.Text()}}, func(in struct{ Room string }) (string, error) {
			if _, has := h.on[in.Room]; !has {
				return "", scenario.Refusef("argument room: there is no %q", in.Room)
			}
			h.on[in.Room] = !h.on[in.Room]
			return "Done.", nil
		}),
		Tool("leave", "End the episode.", nil, func(struct{}) (string, error) {
			h.left = true
			return "", nil
		}),
	}
}

func (h *house) At(call int) {
	h.call = call
	h.on["hall"] = !h.on["hall"]
}

func (h *house) Ended() bool { return h.left }

func (h *house) State() State {
	s := State{}
	for room, on := range h.on {
		s[room] = fmt.Sprint(on)
	}
	return s
}

func (h *house) Untouched() State {
	return State{"kitchen": "false", "attic": "false", "cellar": "false", "hall": fmt.Sprint(h.call%2 == 1)}
}

func (h *house) Mine(room string) bool { return room == "kitchen" || room == "attic" }

func (h *house) Judge(answer string) (j Judgement) {
	j.State = FirstDifference(State{"kitchen": h.State()["kitchen"], "attic": h.State()["attic"]}, State{"kitchen": "true", "attic": "true"})
	if answer != "4" {
		j.Answer = fmt.Sprintf("%q, not 4", answer)
	}
	if h.on["kitchen"] {
		j.Share = 0.25
	}
	return j
}

func lampErrand() *Errand {
	s := &Spec[lampParams, lamps]{
		Name: "lamps", Doc: "Switch lamps.", Source: "Our own.", Version: 1, Levels: []lampParams{{}, {}, {}, {}},
		Make: func(lampParams, *rng.Rand) (lamps, error) {
			return lamps{map[string]bool{"kitchen": false, "attic": false, "cellar": false, "hall": false}}, nil
		},
	}
	return s.Errand()
}

// opened returns an episode, and the scenario that plays it.
func opened(t *testing.T) (quintain.Env, quintain.Scenario, quintain.Problem) {
	t.Helper()
	e := lampErrand()
	of, err := e.Scenario.Over(e.Task, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := of.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	env, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	return env, of, p
}

// say reads replies, divided by semicolons: rooms are switched, a number is the answer, "leave"
// ends, "-" calls nothing, "?" cannot be read, "cut" is cut, and commas divide calls.
func say(text string) (all []quintain.Reply) {
	for one := range strings.SplitSeq(text, ";") {
		r := quintain.Reply{Text: "I think.", Finish: quintain.Stop}
		switch one {
		case "-":
		case "?":
			r.CallFault = "it has no name"
		case "cut":
			r = quintain.Reply{Finish: quintain.Length}
		default:
			for c := range strings.SplitSeq(one, ",") {
				call := Call("switch", map[string]string{"room": c})
				if c == "leave" {
					call = Call("leave", struct{}{})
				} else if strings.Trim(c, "0123456789") == "" {
					call = quintain.ToolCall{Name: "finish", Arguments: `{"answer": ` + c + `}`}
				}
				r.ToolCalls = append(r.ToolCalls, call)
			}
		}
		all = append(all, r)
	}
	return all
}

func TestEpisodesEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, replies string
		reward       float64
		end          quintain.End
		says         string
	}{
		{"the plan", "kitchen;attic;4", 1, quintain.Terminated, "State: right. Answer: right."},
		{"the plan in one reply, and calls after the end", "kitchen,attic,4,cellar", 1, quintain.Terminated, "calls \"switch\", \"switch\", \"finish\"; 3 of 8 calls."},
		{"two calls more", "kitchen;attic;cellar;cellar;4", 0.96, quintain.Terminated, "Calls beyond the 3 that are needed: 2."},
		{"a wrong answer", "kitchen;attic;5", 0.25, quintain.Terminated, `State: right. Answer: "5", not 4.`},
		{"a wrong state", "attic;4", 0, quintain.Terminated, `State: "kitchen" is "false", not "true". Answer: right.`},
		{"part of it", "kitchen;4", 0.25, quintain.Terminated, `"attic" is "false", not "true"`},
		{"another lamp", "kitchen;attic;cellar;4", 0, quintain.Terminated, `State: "cellar" is "true", not "false", which the task is not about. Answer: right.`},
		{"the lamp that others switch", "kitchen;attic;hall;4", 0, quintain.Terminated, `"hall" is`},
		{"no reply without a call is the end, the second is", "-;kitchen;attic;-", 0, quintain.Terminated, "It is the second one."},
		{"one reply without a call costs nothing", "kitchen;-;attic;4", 1, quintain.Terminated, "Answer: right."},
		{"a reply that is cut", "kitchen;attic;cut", 0, quintain.Truncated, "The length limit cut it."},
		{"a call that cannot be read", "?;kitchen;attic;4", 0.98, quintain.Terminated, "Answer: right."},
		{"a refused call", "garage;kitchen;attic;4", 0.98, quintain.Terminated, "Answer: right."},
		{"a refused call in the reply that ends", "kitchen,attic,garage,4", 0.98, quintain.Terminated, "Answer: right."},
		{"the limit is judged", "kitchen;attic;cellar;cellar;cellar;cellar;cellar;cellar", 0.25 * 0.9, quintain.Terminated, "No calls are left. State: right. Answer: \"\", not 4."},
		{"an answer with the last call", "kitchen;attic;cellar;cellar;cellar;cellar;?;4", 0.9, quintain.Terminated, "Answer: right."},
		{"an ending of the world", "kitchen;attic;leave", 0.25, quintain.Terminated, `State: right. Answer: "", not 4.`},
	} {
		env, _, _ := opened(t)
		var step quintain.Step
		replies := say(test.replies)
		for i, reply := range replies {
			var err error
			if step, err = env.Step(t.Context(), reply); err != nil {
				t.Fatal(err)
			}
			if (step.End == quintain.Going) != (i < len(replies)-1) {
				t.Fatalf("%s: reply %d gets %+v", test.why, i, step)
			}
		}
		if math.Abs(step.Reward-test.reward) > 1e-9 || step.End != test.end || !strings.Contains(step.Why, test.says) || step.Right != (test.reward >= 0.8) || step.Right && (step.Illegal || step.Malformed) {
			t.Errorf("%s: %+v, want %v and %q", test.why, step, test.reward, test.says)
		}
	}
}

func TestCallsAreTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, args, says string }{
		{"switch", `{"room": "kitchen"}`, "Done."},
		{"switch", `{"room": "garage"}`, `Error: argument room: there is no "garage"`},
		{"switch", `{"room": "kitchen", "room": "attic"}`, "Error: the arguments: "},
		{"switch", `{"room": ` + strings.Repeat("[", 17) + strings.Repeat("]", 17) + `}`, "Error: the arguments: "},
		{"switch", `{"room": "` + strings.Repeat("x", 4000) + `"}`, "Error: the arguments have 4012 bytes, at most 4000 are allowed"},
		{"switch", ``, "Error: argument room: is missing"},
		{"swich", `{}`, `Error: there is no tool "swich"; did you mean "switch"?`},
		{"finish", `{"answer": "４"}`, `Error: argument answer: is "４", want a whole number`},
	} {
		env, _, _ := opened(t)
		step, err := env.Step(t.Context(), quintain.Reply{ToolCalls: []quintain.ToolCall{{ID: "a", Name: test.name, Arguments: test.args}}})
		if err != nil || len(step.Observe) != 1 || !strings.HasPrefix(step.Observe[0].Content, test.says) || step.Illegal != (test.says != "Done.") || step.Observe[0].ToolCallID != "a" {
			t.Errorf("%s %.60s: %+v, %v, want %q", test.name, test.args, step, err, test.says)
		}
	}
}

func TestAdvice(t *testing.T) {
	t.Parallel()
	_, of, p := opened(t)
	for _, test := range []struct {
		replies string
		best    string
		allowed int
	}{
		{"cellar", "kitchen", 3},
		{"kitchen;garage", "attic", 3},
		{"kitchen;attic", "4", 3},
		{"kitchen;4", "", 0},
		{"-;-", "", 0},
	} {
		a, err := of.(quintain.Adviser).Advise(t.Context(), p, say(test.replies))
		if err != nil || len(a.Allowed) != test.allowed || (len(a.Best) == 1) != (test.best != "") || test.best != "" && !strings.Contains(a.Best[0], test.best) {
			t.Errorf("after %s: %+v, %v, want %q", test.replies, a, err, test.best)
		}
	}
}

func TestCallsOfAReplyToTheBareTask(t *testing.T) {
	t.Parallel()
	e := lampErrand()
	p, err := e.Task.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	right, err := e.Task.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		answer    string
		score     float64
		malformed bool
	}{
		{right, 1, false},
		{right[:strings.LastIndex(right, "<call>")], 0, false},
		{"kitchen", 0, true},
		{`<call>{"name": "switch", "arguments": {"room"</call>`, 0, true},
	} {
		if v, err := e.Task.Grade(p, test.answer); err != nil || v.Score != test.score || v.Malformed != test.malformed {
			t.Errorf("%q: %+v, %v", test.answer, v, err)
		}
	}
}
