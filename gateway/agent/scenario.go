package agent

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain"
)

// Name is the name of the scenarios that the program plays.
const Name = "agent"

// Over returns the problems of a scenario as the program plays them: the scenario makes and
// judges them. The result is a [quintain.Solver] if the scenario is.
func (p *Program) Over(of quintain.Scenario) quintain.Scenario {
	how := p.how
	settings, err := json.Marshal(struct {
		Scenario string  `json:"scenario"`
		Command  string  `json:"command"`
		Seconds  float64 `json:"seconds"`
		Idle     float64 `json:"idle"`
		Calls    int     `json:"calls"`
		Tokens   int     `json:"tokens"`
		Rewards  bool    `json:"rewards"`
		Tools    string  `json:"tool_format"`
	}{of.Info().ID(), how.Command, how.Limits.Seconds, how.Limits.Idle, how.Limits.Calls, how.Limits.Tokens, how.AgentRewards, how.ToolFormat})
	if err != nil {
		panic("agent: settings: " + err.Error()) // texts and finite numbers
	}
	s := played{program: p, of: of, inner: of.Info().ID()}
	s.info = quintain.ScenarioInfo{
		Name: Name, Version: 1, Settings: settings, Sandbox: of.Info().Sandbox, Mark: of.Info().Mark,
		Doc:    "A program of yours plays: an agent that calls its model. Another scenario makes and judges the problems: " + of.Info().Name + ".",
		Source: "A program of its own.",
	}
	s.id = s.info.ID()
	if solver, can := of.(quintain.Solver); can {
		return &solved{s, solver}
	}
	return &s
}

// A played scenario is that of the problems, whose episodes the program plays.
type played struct {
	program *Program
	info    quintain.ScenarioInfo
	id      string
	of      quintain.Scenario
	inner   string // its ID
}

// Info implements [quintain.Scenario].
func (s *played) Info() quintain.ScenarioInfo { return s.info }

// TaskInfo implements [quintain.Scenario].
func (s *played) TaskInfo() quintain.Info { return s.of.TaskInfo() }

// Problem implements [quintain.Scenario].
func (s *played) Problem(d quintain.Draw) (quintain.Problem, error) {
	p, err := s.of.Problem(d)
	p.Scenario = s.id
	return p, err
}

// judged returns a problem as the other scenario knows it.
func (s *played) judged(p quintain.Problem) quintain.Problem {
	p.Scenario = s.inner
	return p
}

// Key implements [quintain.Scenario].
func (s *played) Key(p quintain.Problem) (quintain.Key, error) { return s.of.Key(s.judged(p)) }

// Size implements [quintain.Finite].
func (s *played) Size(level int) int {
	if f, can := s.of.(quintain.Finite); can {
		return f.Size(level)
	}
	return 0
}

// Env implements [quintain.Scenario].
func (s *played) Env(p quintain.Problem) (quintain.Env, error) {
	if p.Scenario != s.id {
		return nil, fmt.Errorf("problem %s does not belong to scenario %s", p.ID(), s.id)
	}
	env, err := s.of.Env(s.judged(p))
	if err != nil {
		return nil, err
	}
	return &episode{Env: env, program: s.program, problem: p, info: s.of.Info()}, nil
}

// A solved scenario solves its problems.
type solved struct {
	played
	solver quintain.Solver
}

// Solve implements [quintain.Solver].
func (s *solved) Solve(p quintain.Problem) (string, error) { return s.solver.Solve(s.judged(p)) }
