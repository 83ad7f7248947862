package scenario

import (
	"fmt"

	"github.com/quintain-rl/quintain"
)

// Around returns the problems of a scenario under another info: that scenario makes and judges them, and play
// returns the episode of a problem around its env, which it closes after an error. The result is [quintain.Finite],
// and a [quintain.Solver] if the scenario is.
func Around(of quintain.Scenario, info quintain.ScenarioInfo, play func(env quintain.Env, p quintain.Problem) (quintain.Env, error)) quintain.Scenario {
	s := around{info: info, id: info.ID(), of: of, inner: of.Info().ID(), play: play}
	if solver, can := of.(quintain.Solver); can {
		return &solvedAround{s, solver}
	}
	return &s
}

// An around is a scenario around another.
type around struct {
	info  quintain.ScenarioInfo
	id    string
	of    quintain.Scenario
	inner string // its ID
	play  func(quintain.Env, quintain.Problem) (quintain.Env, error)
}

// Info implements [quintain.Scenario].
func (s *around) Info() quintain.ScenarioInfo { return s.info }

// TaskInfo implements [quintain.Scenario].
func (s *around) TaskInfo() quintain.Info { return s.of.TaskInfo() }

// Problem implements [quintain.Scenario].
func (s *around) Problem(d quintain.Draw) (quintain.Problem, error) {
	p, err := s.of.Problem(d)
	p.Scenario = s.id
	return p, err
}

// asked returns a problem as the other scenario knows it.
func (s *around) asked(p quintain.Problem) quintain.Problem {
	p.Scenario = s.inner
	return p
}

// Key implements [quintain.Scenario].
func (s *around) Key(p quintain.Problem) (quintain.Key, error) { return s.of.Key(s.asked(p)) }

// Size implements [quintain.Finite].
func (s *around) Size(level int) int {
	if f, can := s.of.(quintain.Finite); can {
		return f.Size(level)
	}
	return 0
}

// Env implements [quintain.Scenario].
func (s *around) Env(p quintain.Problem) (quintain.Env, error) {
	if p.Scenario != s.id {
		return nil, fmt.Errorf("problem %s does not belong to scenario %s", p.ID(), s.id)
	}
	env, err := s.of.Env(s.asked(p))
	if err != nil {
		return nil, err
	}
	return s.play(env, p)
}

// A solvedAround solves its problems.
type solvedAround struct {
	around
	solver quintain.Solver
}

// Solve implements [quintain.Solver].
func (s *solvedAround) Solve(p quintain.Problem) (string, error) { return s.solver.Solve(s.asked(p)) }
