package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
	"github.com/quintain-rl/quintain/envs"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/starter"
	"github.com/quintain-rl/quintain/task"
)

// A taskChoice is one task of a run.
type taskChoice struct {
	Name   string
	Level  int
	Weight float64
	Params json.RawMessage // parameters of its own, in place of the level; nil: none
}

// A taskList is the tasks of a run; empty: none was chosen. As a flag it is written
// NAME[:LEVEL],…; in the file it may also be a list of such texts, or of objects.
type taskList []taskChoice

// Set implements [settings.Value].
func (l *taskList) Set(text string) error {
	*l = nil
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		choice, err := chooseTask(part)
		if err != nil {
			return err
		}
		*l = append(*l, choice)
	}
	return nil
}

// chooseTask reads NAME or NAME:LEVEL.
func chooseTask(text string) (taskChoice, error) {
	name, level, has := strings.Cut(text, ":")
	choice := taskChoice{Name: name, Weight: 1}
	if !has {
		return choice, nil
	}
	var err error
	if choice.Level, err = strconv.Atoi(level); err != nil {
		return choice, fmt.Errorf("the level of %s is %q, want a number", name, level)
	}
	return choice, nil
}

// Take implements [settings.Value].
func (l *taskList) Take(v any) error {
	switch v := v.(type) {
	case string:
		return l.Set(v)
	case []any:
		*l = nil
		for i, one := range v {
			choice, err := takeTask(one)
			if err != nil {
				return inside(i, err)
			}
			*l = append(*l, choice)
		}
		return nil
	}
	return errors.New("want NAME[:LEVEL],… or a list of tasks")
}

// inside puts an index before the place of a fault.
func inside(i int, err error) error {
	var f *settings.Fault
	if errors.As(err, &f) {
		return &settings.Fault{Place: append([]any{i}, f.Place...), Err: f.Err}
	}
	return &settings.Fault{Place: []any{i}, Err: err}
}

// takeTask reads one element of a list: NAME[:LEVEL], or name, level, weight and params.
func takeTask(v any) (taskChoice, error) {
	if text, is := v.(string); is {
		return chooseTask(text)
	}
	fields, is := v.(map[string]any)
	if !is {
		return taskChoice{}, errors.New("want NAME[:LEVEL], or an object with name, level, weight and params")
	}
	choice := taskOptions{weight: 1}
	text, err := json.Marshal(fields)
	if err == nil {
		err = settings.ReadJSON(&choice, text)
	}
	if err != nil {
		return taskChoice{}, err
	}
	out := taskChoice{Name: choice.name, Level: choice.level, Weight: choice.weight}
	if choice.params != nil {
		out.Params, err = json.Marshal(choice.params)
	}
	return out, err
}

// taskOptions are the settings of one task of a list.
type taskOptions struct {
	name   string
	level  int
	weight float64
	params map[string]any
}

// Declare implements [settings.Declarer].
func (o *taskOptions) Declare(d *settings.Section) {
	d.Text(&o.name, "name", "of the task").Given("the name of a task")
	d.Int(&o.level, "level", "of difficulty").AtLeast(0)
	d.Float(&o.weight, "weight", "share of the groups, in proportion to other tasks'").Above(0)
	d.Object(&o.params, "params", "parameters of its own, in place of the level")
}

// Give implements [settings.Value].
func (l *taskList) Give() any {
	list := []any{}
	for _, c := range *l {
		one := map[string]any{"name": c.Name, "level": int64(c.Level), "weight": c.Weight}
		if c.Params != nil {
			one["params"], _ = settings.FromJSON(c.Params) // it was written as JSON
		}
		list = append(list, one)
	}
	return list
}

// String implements [settings.Value].
func (l *taskList) String() string {
	var parts []string
	for _, c := range *l {
		parts = append(parts, c.Name+":"+strconv.Itoa(c.Level))
	}
	return strings.Join(parts, ",")
}

// Type implements [settings.Value].
func (l *taskList) Type() string { return "NAME[:LEVEL],…" }

// streams returns the streams of problems of a run or an examination.
func (c *config) streams() ([]rollout.Stream, error) {
	if c.Problems != "" {
		return c.fileStream()
	}
	all, err := task.NewSet(catalog.Tasks())
	if err != nil {
		return nil, err
	}
	var streams []rollout.Stream
	for i, choice := range c.chosen(all) {
		s, err := c.stream(all, choice)
		if err != nil {
			return nil, usagef("tasks[%d]: %w", i, err)
		}
		streams = append(streams, s)
	}
	return streams, nil
}

// fileStream returns the stream of the file of problems.
func (c *config) fileStream() ([]rollout.Stream, error) {
	if len(c.Tasks) > 0 {
		return nil, usagef("problems: there is a file of problems, and there are tasks; choose one")
	}
	f, err := os.Open(c.Problems)
	if err != nil {
		return nil, fmt.Errorf("problems: %w", err)
	}
	defer f.Close()
	t, err := envs.ReadProblems(f, strings.TrimSuffix(filepath.Base(c.Problems), filepath.Ext(c.Problems)))
	if err != nil {
		return nil, fmt.Errorf("problems: %w", err)
	}
	s, err := c.Scenario.over(t)
	if err != nil {
		return nil, usageError{err}
	}
	return []rollout.Stream{{Scenario: s, Seed: c.Run.Of.Seed, Weight: 1, Label: t.Info().Name}}, nil
}

// chosen are the tasks of a run: those that are set, or those that fit policy and
// scenario.
func (c *config) chosen(all *task.Set) taskList {
	switch {
	case len(c.Tasks) > 0:
		return c.Tasks
	case c.Scenario.Name == "math_multi_turn":
		return taskList{{Name: "chain_sum", Level: 2, Weight: 1}}
	case c.Policy.Kind == kindTiny:
		return starterTasks()
	}
	var choices taskList
	for _, t := range all.All() {
		choices = append(choices, taskChoice{Name: t.Info().Name, Weight: 1})
	}
	return choices
}

// starterTasks are the tasks that the embedded model is made for.
func starterTasks() (choices taskList) {
	for _, c := range starter.Mix() {
		choices = append(choices, taskChoice{Name: c.Task, Params: c.Params, Weight: 1})
	}
	return choices
}

// stream returns the stream of one task.
func (c *config) stream(all *task.Set, choice taskChoice) (rollout.Stream, error) {
	t, err := all.Get(choice.Name)
	if err != nil {
		return rollout.Stream{}, err
	}
	if choice.Params != nil {
		if t, err = t.With(choice.Params); err != nil {
			return rollout.Stream{}, err
		}
	}
	if levels := len(t.Info().Levels); choice.Level < 0 || choice.Level >= levels {
		return rollout.Stream{}, fmt.Errorf("level of %s is %d, want 0 to %d", choice.Name, choice.Level, levels-1)
	}
	s, err := c.Scenario.over(t)
	return rollout.Stream{Scenario: s, Seed: c.Run.Of.Seed, Level: choice.Level, Weight: choice.Weight}, err
}

// scenarios are those of streams.
func scenarios(streams []rollout.Stream) []quintain.Scenario {
	all := make([]quintain.Scenario, len(streams))
	for i, s := range streams {
		all[i] = s.Scenario
	}
	return all
}
