package agent

import (
	"encoding/json"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
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
	info := quintain.ScenarioInfo{
		Name: Name, Version: 1, Settings: settings, Sandbox: of.Info().Sandbox, Mark: of.Info().Mark,
		Doc:    "A program of yours plays: an agent that calls its model. Another scenario makes and judges the problems: " + of.Info().Name + ".",
		Source: "A program of its own.",
	}
	return scenario.Around(of, info, func(env quintain.Env, problem quintain.Problem) (quintain.Env, error) {
		return &episode{Env: env, program: p, problem: problem, info: of.Info()}, nil
	})
}
