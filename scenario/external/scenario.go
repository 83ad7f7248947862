package external

import (
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
)

// Info describes the program's scenario.
func (p *Program) Info() quintain.ScenarioInfo { return p.hello.info() }

// Own returns the scenario of the program's own problems, or nil if it plays tasks. It is a
// [quintain.Solver] if the program solves them.
func (p *Program) Own() quintain.Scenario {
	switch {
	case p.hello.Levels == nil:
		return nil
	case p.hello.Solves:
		return &solving{own{p}}
	}
	return &own{p}
}

// Over returns the scenario over a task. It fails if the program has problems of its own.
func (p *Program) Over(t quintain.Task) (quintain.Scenario, error) {
	if p.hello.Levels != nil {
		return nil, fmt.Errorf("scenario %s plays problems of its own, not tasks", p.name())
	}
	return scenario.Over(p.Info(), t, p.env), nil
}

// An own plays the program's own problems. A problem is its draw: the program makes it when
// the episode opens.
type own struct{ program *Program }

// Info implements [quintain.Scenario].
func (s *own) Info() quintain.ScenarioInfo { return s.program.Info() }

// TaskInfo implements [quintain.Scenario].
func (s *own) TaskInfo() quintain.Info {
	h := s.program.hello
	return quintain.Info{Name: h.Name, Category: "own", Doc: h.Doc, Source: "A program of its own.", Version: h.Version, Levels: h.Levels}
}

// Problem implements [quintain.Scenario].
func (s *own) Problem(d quintain.Draw) (quintain.Problem, error) {
	h := s.program.hello
	if d.Level < 0 || d.Level >= len(h.Levels) || d.Index < 0 {
		return quintain.Problem{}, fmt.Errorf("%s: level %d, index %d: want levels 0 to %d and an index of 0 or more", h.Name, d.Level, d.Index, len(h.Levels)-1)
	}
	return quintain.Problem{
		Task: h.Name, Scenario: h.id(), Version: h.Version, Seed: d.Seed, Level: d.Level, Index: d.Index, Params: h.Levels[d.Level],
	}, nil
}

// Key implements [quintain.Scenario]: no two problems ask the same question.
func (s *own) Key(p quintain.Problem) (quintain.Key, error) { return quintain.NewKey(p.ID()), nil }

// Env implements [quintain.Scenario].
func (s *own) Env(p quintain.Problem) (quintain.Env, error) {
	if id := s.program.hello.id(); p.Scenario != id {
		return nil, fmt.Errorf("problem %s does not belong to scenario %s", p.ID(), id)
	}
	return s.program.env(nil, p)
}

// A solving program plays its own problems and solves them.
type solving struct{ own }

// Solve implements [quintain.Solver].
func (s *solving) Solve(p quintain.Problem) (string, error) { return s.program.solve(p) }
