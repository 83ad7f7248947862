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
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenario/external"
)

// A ScenarioChoice is the chosen scenario with its settings, and what may play in its place. As a
// flag the scenario is written NAME or NAME:KEY=VALUE,…; in the file it is a name, or an object of
// the name and the settings.
type ScenarioChoice struct {
	Name     string            // changed by Set and Take
	External external.Settings // of a program that replaces the scenario, if set
	play     scenario.Play     // of Name, with its settings
	examples string            // its setting of that name, in place of the one in play; empty: that one
	usual    Usually
	sandbox  *backend.Settings
	program  *external.Program // nil until started
	Judge    string            // file with the settings of a judge that replaces the scenario; empty: none
	Untried  bool              // the judge is not checked
	jury     *judge.Jury       // nil until started
	Agent    agent.Settings    // of a program that plays the scenario, if set
	agents   *agent.Program    // nil until started
}

// Usually returns the texts of settings of a scenario that differ from its defaults, by their keys.
type Usually func(scenario string) map[string]string

// DefaultScenario returns the scenario reasoning_gym with its default settings.
func DefaultScenario() ScenarioChoice {
	s := ScenarioChoice{External: external.Default(), Agent: agent.Default(), sandbox: &backend.Settings{}}
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
	d.Section(&s.External, "program", "your own program as the scenario, in any language (docs/scenarios.md)")
	d.Section(&s.Agent, "agent", "an agent's program that plays the scenario (docs/gateway.md)")
}

// Sandbox returns the settings of the sandbox in which programs of a policy run.
func (s *ScenarioChoice) Sandbox() *backend.Settings { return s.sandbox }

// Start starts the external program, if one is set; its standard error goes to log. It finds
// the program of the agent, if one is set. The caller must Stop it, even after an error.
func (s *ScenarioChoice) Start(ctx context.Context, log *slog.Logger) (err error) {
	if s.Agent.Set() {
		if s.agents, err = agent.New(s.Agent); err != nil {
			return fmt.Errorf("agent.%w", err)
		}
	}
	switch other := s.Judge != "" || s.External.Set(); {
	case !other:
		return nil
	case s.examples != "" && s.examples != "0":
		return errors.New("examples: a judge or a program of yours asks without them: leave them out")
	case s.Judge != "":
		return s.startJudge()
	}
	if s.program, err = external.Open(ctx, s.External, log); err != nil {
		return err
	}
	if name := s.program.Info().Name; ours(name) {
		return fmt.Errorf("program: it is called %s, as a scenario of ours: give it another name", name)
	}
	return nil
}

// startJudge makes the judge that is set.
func (s *ScenarioChoice) startJudge() (err error) {
	if s.External.Set() {
		return errors.New("judge: there is a program too, which grades by itself; choose one")
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

// Stop ends the external program, and closes the judge and the sandbox, if there are any.
func (s *ScenarioChoice) Stop() {
	if runner, ok := s.play.(codeplay.Runner); ok {
		_ = runner.Close() // what it leaves, the next sandbox removes
	}
	if s.jury != nil {
		_ = s.jury.Close() // of its verdicts that are kept, the last may be lost, and are asked again
	}
	if s.program != nil {
		s.program.Close()
	}
}

// Streams returns the streams of a program that brings its own problems, one for each
// level, or nil without such a program.
func (s *ScenarioChoice) Streams(seed uint64) (streams []rollout.Stream) {
	if s.program == nil || s.program.Own() == nil {
		return nil
	}
	own := s.played(s.program.Own())
	for level := range own.TaskInfo().Levels {
		streams = append(streams, rollout.Stream{Scenario: own, Seed: seed, Level: level, Weight: 1})
	}
	return streams
}

// played returns a scenario as the agent plays it, if there is one.
func (s *ScenarioChoice) played(of quintain.Scenario) quintain.Scenario {
	if s.agents == nil {
		return of
	}
	return s.agents.Over(of)
}

// Over returns the chosen scenario over a task.
func (s *ScenarioChoice) Over(t quintain.Task) (quintain.Scenario, error) {
	of, err := s.over(t)
	if err != nil {
		return nil, err
	}
	return s.played(of), nil
}

func (s *ScenarioChoice) over(t quintain.Task) (quintain.Scenario, error) {
	if s.program != nil {
		return s.program.Over(t)
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
