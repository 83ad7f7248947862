package script_test

import (
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
	book := script.Book{doubler{name: "a"}, doubler{name: "b", own: true}, doubler{name: "b"}}
	for _, s := range book {
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
