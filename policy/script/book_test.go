package script_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
)

// A doubler is a scenario that solves a problem with its own name, twice.
type doubler struct {
	quintain.Scenario
	name string
	own  bool // its task has its own parameters
}

func (d doubler) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: d.name, Version: 1, Default: true}
}

func (d doubler) TaskInfo() quintain.Info { return quintain.Info{Name: "double"} }

func (d doubler) Problem(draw quintain.Draw) (quintain.Problem, error) {
	p := quintain.Problem{Task: "double", Scenario: d.name + ".v1", Seed: draw.Seed, Level: draw.Level, Index: draw.Index}
	if d.own {
		p.Level, p.Params = quintain.OwnParams, []byte(d.name)
	}
	return p, nil
}

func (d doubler) Solve(p quintain.Problem) (string, error) { return d.name + d.name, nil }

func TestBookSolvesTheProblemOfTheKey(t *testing.T) {
	t.Parallel()
	scenarios := []quintain.Scenario{doubler{name: "a"}, doubler{name: "b", own: true}, doubler{name: "b"}}
	book := script.NewBook(scenarios...)
	for _, s := range scenarios {
		p, err := s.Problem(quintain.Draw{Seed: 7, Index: 12, Level: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{p.ID(), p.ID() + "#3", p.ID() + "~1", p.ID() + "#3~1"} {
			want := strings.Repeat(s.Info().Name, 2)
			if got, err := book.Answer(quintain.Request{Key: key}); err != nil || got != want {
				t.Errorf("%s: %q, error %v, want %q", key, got, err, want)
			}
		}
	}
	for _, key := range []string{"", "nonsense", "c.v1/double.v0.s7.l3.12", "a.v1/triple.v0.s7.l3.12"} {
		if got, err := book.Answer(quintain.Request{Key: key}); err == nil {
			t.Errorf("%q is solved: %q", key, got)
		}
	}
}

// A counter is a scenario whose envs advise the number of replies so far. It counts what is asked of it.
type counter struct {
	quintain.Scenario
	made, opened, steps, closed *int
}

func (c counter) Info() quintain.ScenarioInfo {
	return quintain.ScenarioInfo{Name: "counter", Version: 1, Default: true}
}

func (c counter) TaskInfo() quintain.Info { return quintain.Info{Name: "count"} }

func (c counter) Problem(draw quintain.Draw) (quintain.Problem, error) {
	*c.made++
	return quintain.Problem{Task: "count", Scenario: "counter.v1", Seed: draw.Seed, Index: draw.Index}, nil
}

func (c counter) Advise(context.Context, quintain.Problem, []quintain.Reply) (quintain.Advice, error) {
	return quintain.Advice{}, errors.New("an env is there to ask")
}

func (c counter) Env(quintain.Problem) (quintain.Env, error) { return &counting{counter: c}, nil }

// A counting is an episode of a counter.
type counting struct {
	counter
	heard []string
}

func (c *counting) Open(context.Context) ([]quintain.Message, error) {
	*c.opened++
	return nil, nil
}

func (c *counting) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	*c.steps++
	c.heard = append(c.heard, r.Text)
	return quintain.Step{}, nil
}

func (c *counting) Close() error {
	*c.closed++
	return nil
}

func (c *counting) Advice() quintain.Advice { return quintain.Advice{Best: c.heard} }

func TestBookGoesOnWithAnEpisode(t *testing.T) {
	t.Parallel()
	var made, opened, steps, closed int
	c := counter{made: &made, opened: &opened, steps: &steps, closed: &closed}
	p, err := c.Problem(quintain.Draw{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	book := script.NewBook(c)
	for i, row := range []struct {
		key, said                   string
		made, opened, steps, closed int
		why                         string
	}{
		{"", "", 2, 1, 0, 0, "the problem is made once, and an episode begins"},
		{"#0", "a", 2, 2, 1, 0, "another key has an episode of its own"},
		{"#0", "a b", 2, 2, 2, 0, "it goes on"},
		{"#1", "c d", 2, 3, 4, 0, "another one catches up"},
		{"#0", "a b", 2, 3, 4, 0, "the same request again takes no step"},
		{"#0", "a c", 2, 4, 6, 1, "other replies begin it anew"},
		{"#0", "a", 2, 5, 7, 2, "so do fewer"},
		{"#0", "", 2, 6, 7, 3, "and none"},
	} {
		var said []quintain.Message
		for _, text := range strings.Fields(row.said) {
			said = append(said, quintain.Message{Role: quintain.RoleUser}, quintain.Message{Role: quintain.RoleAssistant, Content: text})
		}
		advice, err := book.Advice(t.Context(), quintain.Request{Key: p.ID() + row.key, Messages: said})
		if err != nil || strings.Join(advice.Best, " ") != row.said {
			t.Fatalf("row %d: %v, error %v", i, advice, err)
		}
		if made != row.made || opened != row.opened || steps != row.steps || closed != row.closed {
			t.Errorf("row %d: %d made, %d opened, %d steps, %d closed, want %+v", i, made, opened, steps, closed, row)
		}
	}
	for n := range 5000 {
		if _, err := book.Advice(t.Context(), quintain.Request{Key: fmt.Sprint(p.ID(), "#", n)}); err != nil {
			t.Fatal(err)
		}
	}
	if open := opened - closed; open > 2048 {
		t.Errorf("%d episodes are open after 5,000", open)
	}
}
