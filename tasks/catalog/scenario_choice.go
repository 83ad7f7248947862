package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/agent"
	"github.com/quintain-rl/quintain/grade/codegrade/codeplay"
	"github.com/quintain-rl/quintain/harbor/play"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/scenario/external/mcptools"
	"github.com/quintain-rl/quintain/scenario/external/venv"
)

// A ScenarioChoice is the chosen scenario with its settings, and what may play in its place. As a
// flag the scenario is written NAME or NAME:KEY=VALUE,…; in the file it is a name, or an object of
// the name and the settings.
type ScenarioChoice struct {
	Name     string        // changed by Set and Take
	play     scenario.Play // of Name, with its settings
	examples string        // its setting of that name, in place of the one in play; empty: that one
	usual    Usually
	sandbox  *backend.Settings
	programs []weighted     // that replace the scenario; nil until started
	Judge    string         // file with the settings of a judge that replaces the scenario; empty: none
	Untried  bool           // the judge is not checked
	jury     *judge.Jury    // nil until started
	Agent    agent.Settings // of a program that plays the scenario, if set
	agents   *agent.Program // nil until started

	Environment guest.Settings // of what replaces the scenario, or plays it
	Harbor      play.Settings  // of tasks in the format of Harbor

	Tools mcptools.Settings // of servers whose tools it has
	boxes *mcptools.Boxes   // nil: there are none, or they are not started

	// Missing installs what an environment lacks, or returns why not; nil: nobody does.
	Missing func(context.Context, *venv.MissingError) error
}

// Usually returns the texts of settings of a scenario that differ from its defaults, by their keys.
type Usually func(scenario string) map[string]string

// DefaultScenario returns the scenario reasoning_gym with its default settings.
func DefaultScenario() ScenarioChoice {
	s := ScenarioChoice{Environment: guest.Default(), Harbor: play.Default(), Tools: mcptools.Default(), Agent: agent.Default(), sandbox: &backend.Settings{}}
	s.Suit(func(string) map[string]string { return nil })
	return s
}

// Suit makes the scenario reasoning_gym the chosen one, and has the settings of each begin as usual
// says. It panics if they are invalid.
func (s *ScenarioChoice) Suit(usual Usually) {
	s.usual = usual
	if err := s.Set("reasoning_gym"); err != nil {
		panic(err)
	}
}

// Declare implements [settings.Declarer].
func (s *ScenarioChoice) Declare(d *settings.Section) {
	d.Value((*scenarioValue)(s), "scenario", "scenario of the problems, with its settings: chess_endgame:reward=value,players=self; a value with a comma, a colon or an equals sign stands in single quotes; "+
		"quintain scenarios list names them, scenarios show NAME lists the settings of one").Flag("scenario")
	d.Value((*examplesValue)(s), "examples", "solved problems before the question: the setting examples of the scenario; 2 help a small model to the form of the answers").Flag("examples")
	d.Text(&s.Judge, "judge", "file with the settings of a judge, in YAML, which grades the reply in place of the scenario (docs/judge.md)").Flag("judge")
	d.Section(&s.Environment, "environment", "an environment of others, or your own program in any language, as the scenario (docs/scenarios.md)")
	d.Section(&s.Harbor, "harbor", "how tasks in the format of Harbor are played (docs/harbor.md)")
	d.Section(&s.Tools, "tools", "MCP servers, whose tools the policy may call before it answers (docs/environments.md)")
	d.Section(&s.Agent, "agent", "an agent's program that plays the scenario (docs/gateway.md)")
}

// Sandbox returns the settings of the sandbox in which programs of a policy run.
func (s *ScenarioChoice) Sandbox() *backend.Settings { return s.sandbox }

// Start opens the environments and the servers of tools, if any are named; what they say goes to log. It finds
// the program of the agent, if one is set. The caller must Stop it, even after an error.
func (s *ScenarioChoice) Start(ctx context.Context, log *slog.Logger) (err error) {
	if line := s.Environment.Agent(); line != "" {
		s.Agent.Command = line
	}
	if err := s.startAgent(); err != nil {
		return err
	}
	if err := s.startTools(ctx, log); err != nil {
		return err
	}
	switch other := s.Judge != "" || s.Environment.Set(); {
	case !other:
		return nil
	case s.examples != "" && s.examples != "0":
		return errors.New("examples: a judge or an environment asks without them: leave them out")
	case s.Judge != "":
		return s.startJudge()
	}
	return s.startEnvironments(ctx, log)
}

// startAgent makes the program of the agent, if there is one.
func (s *ScenarioChoice) startAgent() (err error) {
	inside := s.Harbor.AgentCommand
	switch {
	case inside != "" && s.Agent.Set():
		return errors.New("harbor.agent_command: there is an agent outside, too: choose one")
	case inside != "" && len(s.Environment.Guests()) == 0:
		return errors.New("harbor.agent_command: there is no --environment harbor:FOLDER in whose trials it could run")
	case inside != "":
		s.Agent.Command = inside
		s.agents, err = agent.Within(s.Agent)
	case s.Agent.Set():
		s.agents, err = agent.New(s.Agent)
	}
	if err != nil {
		return fmt.Errorf("agent.%w", err)
	}
	return nil
}

// HasAgent reports whether an agent's program plays the problems.
func (s *ScenarioChoice) HasAgent() bool {
	return s.Agent.Set() || s.Environment.Agent() != "" || s.Harbor.AgentCommand != ""
}

// LeaveAgent leaves out the agent's program, if there is one.
func (s *ScenarioChoice) LeaveAgent() {
	s.Agent, s.Harbor.AgentCommand = agent.Settings{}, ""
	s.Environment.Address = s.Environment.Guests()
}

// startTools starts the servers of tools, if any are named.
func (s *ScenarioChoice) startTools(ctx context.Context, log *slog.Logger) (err error) {
	switch {
	case len(s.Tools.Servers) == 0:
		return nil
	case s.HasAgent():
		return errors.New("tools.servers: an agent brings tools of its own: leave the servers out")
	}
	s.boxes, err = mcptools.Open(ctx, s.Tools, s.Environment.Keys, log)
	return err
}

// startJudge makes the judge that is set.
func (s *ScenarioChoice) startJudge() (err error) {
	if s.Environment.Set() {
		return errors.New("judge: there is an environment too, which grades by itself; choose one")
	}
	if s.jury, err = judge.ReadScenarios(s.Judge); err != nil {
		return fmt.Errorf("judge: %w", err)
	}
	if s.Untried {
		s.jury.Untried()
	}
	if mode := s.jury.Config.Rubric.Mode; s.agents != nil && mode != judge.Absolute {
		return fmt.Errorf("judge: the rubric's mode is %s, and an agent's replies are judged one by one: want %s", mode, judge.Absolute)
	}
	return nil
}

// Register hands out what counts: the judge, if one is started.
func (s *ScenarioChoice) Register(to func(prometheus.Collector)) {
	if s.jury != nil {
		to(s.jury)
	}
}

// Report returns what the judge did; nil: there is none.
func (s *ScenarioChoice) Report() *judge.Report {
	if s.jury == nil {
		return nil
	}
	return s.jury.Report()
}

// Stop ends the environments and the servers of tools, and closes the judge and the sandbox, if there are any.
func (s *ScenarioChoice) Stop() {
	if runner, ok := s.play.(codeplay.Runner); ok {
		_ = runner.Close() // what it leaves, the next sandbox removes
	}
	if s.jury != nil {
		_ = s.jury.Close() // of its verdicts that are kept, the last may be lost, and are asked again
	}
	for _, p := range s.programs {
		p.Close()
	}
	if s.boxes != nil {
		s.boxes.Close()
	}
}

// played returns a scenario as the agent plays it, or with the tools of servers, if there are any.
func (s *ScenarioChoice) played(of quintain.Scenario) (quintain.Scenario, error) {
	switch {
	case s.agents != nil:
		return s.agents.Over(of), nil
	case s.boxes != nil:
		return s.boxes.Over(of)
	}
	return of, nil
}

// Over returns the chosen scenario over a task.
func (s *ScenarioChoice) Over(t quintain.Task) (quintain.Scenario, error) {
	of, err := s.over(t)
	if err != nil {
		return nil, err
	}
	return s.played(of)
}

func (s *ScenarioChoice) over(t quintain.Task) (quintain.Scenario, error) {
	if s.programs != nil {
		return s.programs[0].Over(t)
	}
	if s.jury != nil {
		return s.jury.Over(t)
	}
	spec, err := Scenario(s.Name)
	if err != nil {
		return nil, err
	}
	if runner, ok := s.play.(codeplay.Runner); ok {
		if err := runner.Start(); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
	}
	return spec.With(t, s.play)
}
