package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/agent"
	"github.com/quintain-rl/quintain/interop/reasoninggym/scores"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/policy/judge/jury"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/settings"
)

// A ScenarioChoice is the chosen scenario, with the settings of all.
type ScenarioChoice struct {
	Name     string
	External external.Settings        // of a program that replaces the scenario, if set
	plays    map[string]scenario.Play // by the scenario's name
	sandbox  *backend.Settings
	program  *external.Program // nil until started
	Judge    string            // file with the settings of a judge that replaces the scenario; empty: none
	Untried  bool              // the judge is not checked
	jury     *jury.Jury        // nil until started
	Agent    agent.Settings    // of a program that plays the scenario, if set
	agents   *agent.Program    // nil until started
}

// DefaultScenario returns the scenario reasoning_gym, with default settings for all.
func DefaultScenario() ScenarioChoice {
	s := ScenarioChoice{Name: "reasoning_gym", External: external.Default(), Agent: agent.Default(), plays: map[string]scenario.Play{}, sandbox: &backend.Settings{}}
	for _, spec := range Scenarios() {
		s.plays[spec.Name] = spec.New()
		if runs, are := s.plays[spec.Name].(interface{ In(*backend.Settings) }); are {
			runs.In(s.sandbox)
		}
	}
	return s
}

// Declare implements [settings.Declarer].
func (s *ScenarioChoice) Declare(d *settings.Section) {
	var names []string
	for _, spec := range Scenarios() {
		names = append(names, spec.Name)
	}
	d.Text(&s.Name, "name", "scenario of the problems, see quintain scenarios list").OneOf(names...).Flag("scenario")
	d.Text(&s.Judge, "judge", "file with the settings of a judge, in YAML, which grades the reply in place of the scenario (docs/judge.md)").Flag("judge")
	d.Prefixed(&s.External, "program", "your own program as the scenario, in any language (docs/scenarios.md)")
	d.Prefixed(&s.Agent, "agent", "an agent's program that plays the scenario (docs/gateway.md)")
	for _, spec := range Scenarios() {
		d.Section(s.plays[spec.Name], spec.Name, "settings of this scenario")
	}
}

// Sandbox returns the settings of the sandbox in which programs of a policy run.
func (s *ScenarioChoice) Sandbox() *backend.Settings { return s.sandbox }

// Set changes a setting of a scenario; value is JSON. It panics if the scenario or the
// setting does not exist, or the value is invalid.
func (s *ScenarioChoice) Set(scenario, name, value string) {
	object := fmt.Sprintf("{%q:%s}", name, value)
	if err := settings.ReadJSON(s.plays[scenario], []byte(object)); err != nil {
		panic("scenario " + scenario + ": " + err.Error())
	}
}

// Scores returns whose scores answers get.
func (s *ScenarioChoice) Scores() scores.By {
	return s.plays["reasoning_gym"].(*scenarios.ReasoningGym).Scores
}

// Start starts the external program, if one is set; its standard error goes to log. It finds
// the program of the agent, if one is set. The caller must Stop it, even after an error.
func (s *ScenarioChoice) Start(ctx context.Context, log *slog.Logger) (err error) {
	if s.Agent.Set() {
		if s.agents, err = agent.New(s.Agent); err != nil {
			return fmt.Errorf("scenario.agent.%w", err)
		}
	}
	if s.Judge != "" {
		return s.startJudge()
	}
	if !s.External.Set() {
		return nil
	}
	if s.program, err = external.Open(ctx, s.External, log); err != nil {
		return err
	}
	if name := s.program.Info().Name; s.plays[name] != nil {
		return fmt.Errorf("scenario.program: it is called %s, as a scenario of ours: give it another name", name)
	}
	return nil
}

// startJudge makes the judge that is set.
func (s *ScenarioChoice) startJudge() (err error) {
	if s.External.Set() {
		return errors.New("scenario.judge: there is a program too, which grades by itself; choose one")
	}
	if s.jury, err = jury.ReadScenarios(s.Judge); err != nil {
		return fmt.Errorf("scenario.judge: %w", err)
	}
	if s.Untried {
		s.jury.Untried()
	}
	if mode := s.jury.Config.Rubric.Mode; s.agents != nil && mode != judge.Absolute {
		return fmt.Errorf("scenario.judge: the rubric's mode is %s, and an agent's replies are judged one by one: want %s", mode, judge.Absolute)
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
func (s *ScenarioChoice) Report() *jury.Report {
	if s.jury == nil {
		return nil
	}
	return s.jury.Report()
}

// Stop ends the external program, and closes the judge and the sandbox, if there are any.
func (s *ScenarioChoice) Stop() {
	for _, play := range s.plays {
		if box, has := play.(io.Closer); has {
			_ = box.Close() // what it leaves, the next sandbox removes
		}
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
	for _, spec := range Scenarios() {
		if spec.Name == s.Name {
			if needs, is := s.plays[s.Name].(interface{ Start() error }); is {
				if err := needs.Start(); err != nil {
					return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
				}
			}
			return spec.With(t, s.plays[s.Name])
		}
	}
	return nil, fmt.Errorf("no scenario %q", s.Name)
}
