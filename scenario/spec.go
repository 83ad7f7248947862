// Package scenario turns tasks into scenarios.
//
// A [Spec] defines a scenario: how to ask the problems of any task, and how to answer and
// judge them. [Spec.Over] combines it with a task into a [quintain.Scenario].
package scenario

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/settings"
)

// A Play holds the settings of a scenario and makes its episodes. It may be a [Fitter], a [Planner], a
// [Runner] or a [quintain.Adviser] too. It does not change once
// in use, so many goroutines may use it at once.
type Play interface {
	settings.Declarer

	// Env returns a new episode of p, a problem of t. Unless the Spec says Untagged, the episode
	// must accept an answer between <answer> and </answer>, besides any other form.
	Env(t quintain.Task, p quintain.Problem) (quintain.Env, error)
}

// A Fitter is a [Play] that cannot play every task.
type Fitter interface {
	// Fits returns why t cannot be played, or nil if it can.
	Fits(t quintain.Task) error
}

// A Planner is a [Play] that solves problems with tools; see [quintain.Planner].
type Planner interface {
	Plan(t quintain.Task, p quintain.Problem) ([]quintain.ToolCall, error)
}

// A Host is a [Play] that may seat several players at tables.
type Host interface {
	// Players and TablesOnly are those of [quintain.Seated], and so are Table and AdviseAt, of a problem of t.
	Players() []string
	TablesOnly() bool
	Table(t quintain.Task, p quintain.Problem) (quintain.Table, error)
	AdviseAt(t quintain.Task, p quintain.Problem, seat int, talk []quintain.Message) (quintain.Advice, error)
}

// A Runner is a [Play] whose episodes run programs.
type Runner interface {
	// Runs describes what runs those of t, and marks what of it rewards depend on; see
	// [quintain.ScenarioInfo].
	Runs(t quintain.Task) (by json.RawMessage, mark string, err error)
}

// A Spec defines a scenario. Like a task, it is a value in its package's list.
type Spec struct {
	Name    string // unique, snake_case; also the name of the file
	Doc     string // one sentence, then anything else worth knowing
	Source  string // origin of the idea
	Version int    // raised whenever a text or a reward changes

	New func() Play // returns a play with the default settings

	// Untagged says that episodes take no answer between <answer> and </answer>: replies have
	// another form.
	Untagged bool
}

// Info describes the scenario with its default settings.
func (s Spec) Info() quintain.ScenarioInfo {
	info, err := s.info(s.New())
	if err != nil {
		panic(fmt.Sprintf("scenario %s: %v", s.Name, err)) // scenariotest checks for this
	}
	return info
}

// info describes the scenario with the settings of p.
func (s Spec) info(p Play) (info quintain.ScenarioInfo, err error) {
	info = quintain.ScenarioInfo{Name: s.Name, Doc: s.Doc, Source: s.Source, Version: s.Version, Tags: !s.Untagged, Replayable: true}
	if info.Settings, err = settings.JSON(p); err != nil {
		return info, err
	}
	defaults, err := settings.JSON(s.New())
	info.Default = string(defaults) == string(info.Settings)
	return info, err
}

// Find returns the scenario of all with a name. For an unknown name, the error suggests the
// nearest known one.
func Find(all []Spec, name string) (Spec, error) {
	var names []string
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Spec{}, fmt.Errorf("no scenario %q%s", name, nearest.Suggest(name, names))
}

// Settings returns the settings of the scenario, each with its default.
func (s Spec) Settings() []*settings.Setting { return settings.New(s.New()).Settings() }

// Over returns the scenario over a task. object is a JSON object of settings; missing ones
// keep their defaults, and nil means all defaults. The error names an unknown or invalid
// setting, or says why the task cannot be played.
func (s Spec) Over(t quintain.Task, object json.RawMessage) (quintain.Scenario, error) {
	play := s.New()
	if object != nil {
		if err := settings.ReadJSON(play, object); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
	}
	return s.With(t, play)
}

// With is Over for a play from s.New with its settings already set.
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
	if r, runs := play.(Runner); runs {
		if info.Sandbox, info.Mark, err = r.Runs(t); err != nil {
			return nil, fmt.Errorf("scenario %s: %w", s.Name, err)
		}
	}
	of := scenario{info: info, id: info.ID(), task: t, play: play.Env}
	if planner, can := play.(Planner); can {
		return &planned{of, planner}, nil
	}
	if host, can := play.(Host); can && host.Players() != nil {
		return &hosted{of, host}, nil
	}
	if adviser, can := play.(quintain.Adviser); can {
		return &advised{of, adviser}, nil
	}
	return &of, nil
}

// A planned is a scenario with plans.
type planned struct {
	scenario
	by Planner
}

// Plan implements [quintain.Planner].
func (s *planned) Plan(p quintain.Problem) ([]quintain.ToolCall, error) { return s.by.Plan(s.task, p) }

// An advised is a scenario that advises.
type advised struct {
	scenario
	quintain.Adviser
}

// A hosted is a scenario with tables.
type hosted struct {
	scenario
	host Host
}

// Advise implements [quintain.Adviser]: nothing, if the host does not.
func (s *hosted) Advise(ctx context.Context, p quintain.Problem, said []quintain.Reply) (advice quintain.Advice, err error) {
	if adviser, can := s.host.(quintain.Adviser); can {
		return adviser.Advise(ctx, p, said)
	}
	return advice, nil
}

// Players implements [quintain.Seated].
func (s *hosted) Players() []string { return s.host.Players() }

// TablesOnly implements [quintain.Seated].
func (s *hosted) TablesOnly() bool { return s.host.TablesOnly() }

// AdviseAt implements [quintain.Seated].
func (s *hosted) AdviseAt(p quintain.Problem, seat int, talk []quintain.Message) (quintain.Advice, error) {
	return s.host.AdviseAt(s.task, p, seat, talk)
}

// Table implements [quintain.Seated].
func (s *hosted) Table(p quintain.Problem) (quintain.Table, error) {
	if p.Scenario != s.id {
		return nil, fmt.Errorf("problem %s does not belong to scenario %s", p.ID(), s.id)
	}
	return s.host.Table(s.task, p)
}

// Over returns the scenario described by info, over a task. play makes an episode of a
// problem of t; many goroutines may call it at once.
func Over(info quintain.ScenarioInfo, t quintain.Task, play func(quintain.Task, quintain.Problem) (quintain.Env, error)) quintain.Scenario {
	return &scenario{info: info, id: info.ID(), task: t, play: play}
}

// A scenario plays one task.
type scenario struct {
	info quintain.ScenarioInfo
	id   string
	task quintain.Task
	play func(quintain.Task, quintain.Problem) (quintain.Env, error)
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
		return nil, fmt.Errorf("problem %s does not belong to scenario %s", p.ID(), s.id)
	}
	return s.play(s.task, p)
}
