// Package env turns tasks into scenarios.
//
// A [Spec] defines a scenario: how the problems of any task are asked, answered and
// judged. Over a task it gives a [quintain.Scenario].
package env

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/settings"
)

// A Play is the settings of a scenario, and makes the episodes that they ask for. It
// is not changed once it is in use, so many goroutines may use it.
type Play interface {
	settings.Declarer

	// Env returns a new episode of p, a problem of t. A reply may have its answer
	// between <answer> and </answer>, whatever other forms the scenario takes.
	Env(t quintain.Task, p quintain.Problem) (quintain.Env, error)
}

// A Fitter is a [Play] that cannot play every task.
type Fitter interface {
	// Fits says why t cannot be played; nil: it can.
	Fits(t quintain.Task) error
}

// A Spec defines a scenario. It is a value in the list of its package, as a task is.
type Spec struct {
	Name    string // unique, snake_case; also the name of the file
	Doc     string // one sentence, then anything else worth knowing
	Source  string // where the idea comes from
	Version int    // raised by one whenever what a policy reads or earns changes

	New func() Play // with the default settings
}

// Info describes the scenario with its default settings.
func (s Spec) Info() quintain.ScenarioInfo {
	info, err := s.info(s.New())
	if err != nil {
		panic(fmt.Sprintf("scenario %s: %v", s.Name, err)) // envtest finds it
	}
	return info
}

// info describes the scenario with the settings of a play.
func (s Spec) info(p Play) (info quintain.ScenarioInfo, err error) {
	info = quintain.ScenarioInfo{Name: s.Name, Doc: s.Doc, Source: s.Source, Version: s.Version}
	if info.Settings, err = settings.JSON(p); err != nil {
		return info, err
	}
	defaults, err := settings.JSON(s.New())
	info.Default = string(defaults) == string(info.Settings)
	return info, err
}

// Over returns the scenario over a task, with the settings that a JSON object names
// and the defaults of the others; nil: all defaults. The error names the setting that
// is unknown or invalid, or says why the task cannot be played.
func (s Spec) Over(t quintain.Task, object json.RawMessage) (quintain.Scenario, error) {
	play := s.New()
	if object != nil {
		if err := settings.ReadJSON(play, object); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
	}
	return s.With(t, play)
}

// With is Over for a play of s, as New returns it, whose settings are set already.
func (s Spec) With(t quintain.Task, play Play) (quintain.Scenario, error) {
	if f, can := play.(Fitter); can {
		if err := f.Fits(t); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
	}
	info, err := s.info(play)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return &scenario{info: info, id: info.ID(), task: t, play: play}, nil
}

// A scenario is a Spec over a task.
type scenario struct {
	info quintain.ScenarioInfo
	id   string
	task quintain.Task
	play Play
}

// Info implements [quintain.Scenario].
func (s *scenario) Info() quintain.ScenarioInfo { return s.info }

// TaskInfo implements [quintain.Scenario].
func (s *scenario) TaskInfo() quintain.Info { return s.task.Info() }

// Problem implements [quintain.Scenario].
func (s *scenario) Problem(d quintain.Draw) (quintain.Problem, error) {
	p, err := s.task.Problem(d)
	p.Scenario = s.id
	return p, err
}

// Key implements [quintain.Scenario].
func (s *scenario) Key(p quintain.Problem) (quintain.Key, error) { return quintain.KeyOf(s.task, p) }

// Solve implements [quintain.Solver].
func (s *scenario) Solve(p quintain.Problem) (string, error) { return s.task.Solve(p) }

// Size implements [quintain.Finite].
func (s *scenario) Size(level int) int {
	if f, can := s.task.(quintain.Finite); can {
		return f.Size(level)
	}
	return 0
}

// Env implements [quintain.Scenario].
func (s *scenario) Env(p quintain.Problem) (quintain.Env, error) {
	if p.Scenario != s.id {
		return nil, fmt.Errorf("problem %s is not of scenario %s", p.ID(), s.id)
	}
	return s.play.Env(s.task, p)
}
