package scenario_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
)

// An echo is a scenario that wants the index of the problem in two replies, and has a flaw.
type echo struct {
	quintain.Scenario // the methods that Check does not call

	flaw    string
	process int // as if it was started this often
	played  int // episodes so far
}

func (e *echo) TaskInfo() quintain.Info {
	return quintain.Info{Name: "echo", Levels: []json.RawMessage{[]byte("{}"), []byte("{}")}}
}

func (e *echo) Problem(d quintain.Draw) (quintain.Problem, error) {
	if e.flaw == "no problem" && d.Level == 1 {
		return quintain.Problem{}, errors.New("no such level")
	}
	return quintain.Problem{Task: "echo", Version: 1, Seed: d.Seed, Level: d.Level, Index: d.Index}, nil
}

func (e *echo) Solve(p quintain.Problem) (string, error) {
	switch e.flaw {
	case "unsolved":
		return "", errors.New("I do not know")
	case "solves at random":
		return fmt.Sprint(p.Index + e.process), nil
	case "one problem":
		return "0", nil
	}
	return fmt.Sprint(p.Index), nil
}

func (e *echo) Env(p quintain.Problem) (quintain.Env, error) {
	if e.flaw == "no env" {
		return nil, errors.New("no table")
	}
	e.played++
	return &echoing{of: e, want: p.Index, number: e.played}, nil
}

// An echoing is an episode of an echo.
type echoing struct {
	of           *echo
	want, number int
	turn         int
}

func user(text string) []quintain.Message {
	return []quintain.Message{{Role: quintain.RoleUser, Content: text}}
}

func (e *echoing) Open(context.Context) ([]quintain.Message, error) {
	switch e.of.flaw {
	case "silent":
		return nil, nil
	case "open fails":
		return nil, errors.New("no file")
	case "opens at random":
		return user(fmt.Sprint("Say ", e.want+e.of.process)), nil
	case "counts its episodes":
		return user(fmt.Sprint("Episode ", e.number)), nil
	case "one problem":
		return user("Say 0"), nil
	}
	return user(fmt.Sprint("Say ", e.want)), nil
}

func (e *echoing) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	e.turn++
	want := e.want
	switch e.of.flaw {
	case "step fails":
		return quintain.Step{}, errors.New("KeyError")
	case "infinite":
		return quintain.Step{Reward: math.Inf(1), End: quintain.Terminated}, nil
	case "endless":
		return quintain.Step{Observe: user("again")}, nil
	case "goes on in silence":
		return quintain.Step{}, nil
	case "talks on":
		return quintain.Step{End: quintain.Terminated, Observe: user("bye")}, nil
	case "hidden chance":
		want += e.of.process
	case "one problem":
		want = 0
	case "goes on at random":
		if e.turn == 1 {
			return quintain.Step{Observe: user(fmt.Sprint("go on ", e.of.process))}, nil
		}
	case "fails after a mistake":
		if !strings.Contains(r.Text, fmt.Sprintf("%d", want)) && strings.Contains(r.Text, "It is easy.") {
			return quintain.Step{}, errors.New("NameError")
		}
	case "pays for a mistake":
		if e.turn == 1 && !strings.Contains(r.Text, fmt.Sprintf("%d", want)) && strings.Contains(r.Text, "It is easy.") {
			return quintain.Step{Reward: 0.5, Observe: user("go on")}, nil
		}
	case "pays nothing":
		return quintain.Step{End: quintain.Terminated}, nil
	case "pays anything":
		return quintain.Step{Reward: float64(len(r.Text)), End: quintain.Terminated}, nil
	}
	if e.turn == 1 {
		return quintain.Step{Observe: user("go on")}, nil
	}
	right := strings.Contains(r.Text, fmt.Sprintf("%d", want))
	step := quintain.Step{Right: right, End: quintain.Terminated}
	if right {
		step.Reward = 1
	}
	return step, nil
}

func (e *echoing) Close() error {
	if e.of.flaw == "close fails" {
		return errors.New("disk full")
	}
	return nil
}

func TestCheckFindsBrokenPromises(t *testing.T) {
	for _, test := range []struct{ flaw, want string }{ // want: part of the first fault; empty: none
		{"", ""},
		{"unsolved", "it is not solved: I do not know"},
		{"no problem", "level 1, index 0: no such level"},
		{"no env", "no table"},
		{"silent", "want the policy's turn next"},
		{"open fails", "no file"},
		{"opens at random", "it opens differently when played again"},
		{"counts its episodes", "it opens differently when played again"},
		{"solves at random", `the solution is "1", and "2" when asked again`},
		{"hidden chance", "when played again"},
		{"goes on at random", "it goes on differently when played again"},
		{"step fails", "causes an error: KeyError"},
		{"infinite", "the reward is +Inf"},
		{"endless", "no end after 1000 replies"},
		{"goes on in silence", "goes on without a message"},
		{"talks on", "has ended with the message"},
		{"close fails", "closing: disk full"},
		{"pays nothing", `the solution, "0", earns 0`},
		{"pays anything", "senseless replies"},
		{"fails after a mistake", "causes an error: NameError"},
		{"pays for a mistake", "and then the solution earn 1.5, but the solution at once 1"},
		{"one problem", "level 0: its first 4 problems ask the same and have the same solution"},
	} {
		c := scenario.Check{First: &echo{flaw: test.flaw, process: 1}, Second: &echo{flaw: test.flaw, process: 2}, Seed: 1, Problems: 4}
		found, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		faults := found.Faults
		if test.want == "" && len(faults) > 0 || test.want != "" && (len(faults) == 0 || !strings.Contains(faults[0], test.want)) {
			t.Errorf("%s: faults %q, want %q", test.flaw, faults, test.want)
		}
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	c := scenario.Check{First: &echo{}, Second: &echo{}, Problems: 1}
	if found, err := c.Run(ctx); !errors.Is(err, stopped) {
		t.Errorf("found %+v, error %v", found, err)
	}
}

func TestCheckTellsWhatWasEarned(t *testing.T) {
	c := scenario.Check{First: &echo{}, Second: &echo{}, Seed: 1, Problems: 4}
	f, err := c.Run(t.Context())
	if err != nil || f.Right != 1 || f.Wrong != 0 || f.Replies != 2 || f.Episodes < 4*13 {
		t.Errorf("%+v, error %v", f, err)
	}
}
