package external

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
)

// Info describes the program's scenario.
func (p *Program) Info() quintain.ScenarioInfo {
	info := p.hello.info()
	info.Mark = strings.TrimSpace(info.Mark + "\n" + p.how.Mark)
	return info
}

// id identifies the program's scenario.
func (p *Program) id() string {
	info := p.Info()
	return info.ID()
}

// Hello returns what the program says of itself.
func (p *Program) Hello() Hello { return *p.hello }

// Own returns the scenario of the program's own problems, or nil if it plays tasks. It is a
// [quintain.Solver] if the program solves them.
func (p *Program) Own() quintain.Scenario {
	switch {
	case !p.hello.owns():
		return nil
	case p.hello.Solves:
		return &solving{own{p}}
	}
	return &own{p}
}

// Over returns the scenario over a task. It fails if the program has problems of its own.
func (p *Program) Over(t quintain.Task) (quintain.Scenario, error) {
	if p.hello.owns() {
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
	return quintain.Info{Name: h.Name, Category: "own", Doc: h.Doc, Source: h.info().Source, Version: h.Version, Levels: h.levels()}
}

// Problem implements [quintain.Scenario].
func (s *own) Problem(d quintain.Draw) (quintain.Problem, error) {
	h := s.program.hello
	levels := h.levels()
	if d.Level < 0 || d.Level >= len(levels) || d.Index < 0 {
		return quintain.Problem{}, fmt.Errorf("%s: level %d, index %d: want levels 0 to %d and an index of 0 or more", h.Name, d.Level, d.Index, len(levels)-1)
	}
	return quintain.Problem{
		Task: h.Name, Scenario: s.program.id(), Version: h.Version, Seed: d.Seed, Level: d.Level, Index: d.Index, Params: levels[d.Level],
	}, nil
}

// Key implements [quintain.Scenario]. No two problems of a level ask the same question; those of a split
// do that are the same row, or have the same seed of 31 bits.
func (s *own) Key(p quintain.Problem) (quintain.Key, error) {
	if s.program.hello.Splits == nil {
		return quintain.NewKey(p.ID()), nil
	}
	return s.program.key(p)
}

// Size implements [quintain.Finite].
func (s *own) Size(level int) int {
	if all := s.program.hello.Splits; level < len(all) {
		return all[level].Size
	}
	return 0
}

// Splits returns the parts of the program's own problems, each a level; nil: its levels are none. The
// caller must not change them.
func (p *Program) Splits() []Split { return p.hello.Splits }

// Env implements [quintain.Scenario].
func (s *own) Env(p quintain.Problem) (quintain.Env, error) {
	if id := s.program.id(); p.Scenario != id {
		return nil, fmt.Errorf("problem %s does not belong to scenario %s", p.ID(), id)
	}
	return s.program.env(nil, p)
}

// A solving program plays its own problems and solves them.
type solving struct{ own }

// Solve implements [quintain.Solver].
func (s *solving) Solve(p quintain.Problem) (string, error) { return s.program.solve(p) }
