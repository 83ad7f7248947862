package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/list"
)

// A Choice is a task and a level, chosen by a user.
type Choice struct {
	Name   string
	Level  int
	Weight float64
	Params json.RawMessage // own parameters instead of a level, or nil
}

// Choices are the chosen tasks, with one Choice for each level. As a flag they are written
// NAME[:LEVEL][=WEIGHT],…, with 0-3 for the levels 0 to 3. In the file they may also be a
// list of such texts or of objects. The name [list.Composite] stands for all tasks. Reading
// checks them against the catalogue.
type Choices []Choice

// Set implements [settings.Value].
func (l *Choices) Set(text string) error {
	*l = nil
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		err := l.addText(part)
		if fault, ok := errors.AsType[*settings.Fault](err); ok {
			err = fault.Err // the path already names the task
		}
		if err != nil {
			return err
		}
	}
	return l.once()
}

// Take implements [settings.Value].
func (l *Choices) Take(v any) error {
	switch v := v.(type) {
	case string:
		return l.Set(v)
	case []any:
		*l = nil
		for i, one := range v {
			if err := l.add(one); err != nil {
				return settings.Within(err, i)
			}
		}
		return nil
	}
	return errors.New("want NAME[:LEVEL][=WEIGHT],… or a list of tasks")
}

// add adds an element of a list: a text, or an object with name, level, weight and
// params.
func (l *Choices) add(v any) error {
	switch v := v.(type) {
	case string:
		return l.addText(v)
	case map[string]any:
		w := wish{weight: 1}
		if err := settings.Take(&w, v); err != nil {
			return err
		}
		return l.grant(&w)
	}
	return errors.New("want NAME[:LEVEL][=WEIGHT], or an object with name, level, weight and params")
}

// Complete implements [settings.Completer]: the last of the tasks.
func (l *Choices) Complete(typed string) []string {
	comma := strings.LastIndexByte(typed, ',') + 1
	texts := CompleteTask(typed[comma:])
	if strings.HasPrefix(list.Composite, typed) {
		texts = append(texts, list.Composite)
	}
	for i, text := range texts {
		texts[i] = typed[:comma] + text
	}
	return texts
}

// CompleteTask returns the names of tasks that begin with what is typed, or after NAME: its levels.
func CompleteTask(typed string) (texts []string) {
	name, _, leveled := strings.Cut(typed, ":")
	for _, t := range Tasks() {
		switch info := t.Info(); {
		case !leveled:
			texts = append(texts, info.Name)
		case info.Name == name:
			for i := range info.Levels {
				texts = append(texts, name+":"+strconv.Itoa(i))
			}
		}
	}
	return slices.DeleteFunc(texts, func(text string) bool { return !strings.HasPrefix(text, typed) })
}

// addText adds the choices in NAME[:LEVEL][=WEIGHT].
func (l *Choices) addText(text string) error {
	rest, weight, weighted := strings.Cut(text, "=")
	name, levels, leveled := strings.Cut(rest, ":")
	w := wish{name: name, weight: 1}
	if leveled {
		if err := w.levels.Set(levels); err != nil {
			return fmt.Errorf("level of %s %w", name, err)
		}
	}
	if weighted {
		var err error
		if w.weight, err = strconv.ParseFloat(weight, 64); err != nil {
			return fmt.Errorf("weight of %s is %q, want a number", name, weight)
		}
	}
	if err := settings.Check(&w); err != nil {
		return fmt.Errorf("%s: %w", text, err)
	}
	return l.grant(&w)
}

// A wish is a user's choice of one task, as read.
type wish struct {
	name   string
	levels levels
	weight float64
	params map[string]any
	config map[string]any // reasoning-gym's name for params
}

// mostWeight exceeds any weight, so that their sum stays finite.
const mostWeight = 1e9

// Declare implements [settings.Declarer].
func (w *wish) Declare(d *settings.Section) {
	d.Text(&w.name, "name", "of the task").Given("the name of a task")
	d.Value(&w.levels, "level", "of difficulty")
	d.Float(&w.weight, "weight", "share of the groups, relative to the weights of the other tasks").Above(0).Below(mostWeight)
	d.Object(&w.params, "params", "own parameters, instead of a level")
	d.Object(&w.config, "config", "the same")
}

// grant adds the choices of a wish, and spreads its weight over them.
func (l *Choices) grant(w *wish) error {
	params, field := w.params, "params"
	switch {
	case w.params != nil && w.config != nil:
		return settings.Within(errors.New("is another name of params: choose one"), "config")
	case w.config != nil:
		params, field = withoutRun(w.config), "config"
	}
	if params != nil && w.levels.given {
		return settings.Within(fmt.Errorf("is given, and so is %s: choose one", field), "level")
	}
	granted, err := w.choices(params, field)
	if err != nil {
		return err
	}
	sum := 0.0
	for _, c := range granted {
		sum += c.Weight
	}
	for _, c := range granted {
		c.Weight *= w.weight / sum
		*l = append(*l, c)
	}
	return nil
}

// withoutRun returns the config of a reasoning-gym dataset without its size and its seed.
// They say nothing about the problems; the seed is that of the run here.
func withoutRun(config map[string]any) map[string]any {
	params := map[string]any{}
	for name, value := range config {
		if name != "size" && name != "seed" {
			params[name] = value
		}
	}
	return params
}

// choices returns the choices of w, with weights relative to each other. params are its
// parameters, from the named field, or nil.
func (w *wish) choices(params map[string]any, field string) (Choices, error) {
	if w.name == list.Composite && params != nil {
		m := Mixture{Size: defaultSize}
		if err := settings.Take(&m, params); err != nil {
			return nil, settings.Within(err, field)
		}
		return m.Datasets, nil
	}
	tasks := Tasks()
	if w.name != list.Composite {
		all, err := task.NewSet(append(tasks, OwnTasks()...))
		if err != nil {
			return nil, err
		}
		t, err := all.Get(w.name)
		if err != nil {
			return nil, settings.Within(fmt.Errorf("%w (quintain tasks list names them all)", err), "name")
		}
		tasks = []quintain.Task{t}
	}
	if params != nil {
		return own(tasks[0], params, field)
	}
	var all Choices
	for _, t := range tasks {
		for level := w.levels.first; level <= w.levels.last; level++ {
			c := Choice{Name: t.Info().Name, Level: level, Weight: 1}
			if err := c.check(t); err != nil {
				return nil, settings.Within(err, "level")
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// own returns the choice of a task with its own parameters, from the named field.
func own(t quintain.Task, params map[string]any, field string) (Choices, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, settings.Within(err, field)
	}
	if _, err = t.With(text); err != nil {
		return nil, settings.Within(err, place(err, params, field)...)
	}
	return Choices{{Name: t.Info().Name, Weight: 1, Params: text}}, nil
}

// place returns the path of the parameter that err, an error of With, is about.
func place(err error, params map[string]any, field string) []any {
	path := []any{field}
	if why := errors.Unwrap(err); why != nil { // the cause begins with the name of the parameter
		name, _, _ := strings.Cut(why.Error(), " ")
		if _, has := params[name]; has {
			path = append(path, name)
		}
	}
	return path
}

// Give implements [settings.Value].
func (l *Choices) Give() any {
	list := []any{}
	for _, c := range *l {
		one := map[string]any{"name": c.Name, "weight": c.Weight}
		if c.Params == nil {
			one["level"] = int64(c.Level)
		} else {
			one["params"], _ = settings.FromJSON(c.Params) // own wrote it, so it is JSON
		}
		list = append(list, one)
	}
	return list
}

// String implements [settings.Value].
func (l *Choices) String() string {
	var parts []string
	for _, c := range *l {
		part := c.Name + ":" + strconv.Itoa(c.Level)
		if c.Weight != 1 {
			part += "=" + strconv.FormatFloat(c.Weight, 'g', -1, 64)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

// Type implements [settings.Value].
func (l *Choices) Type() string { return "NAME[:LEVEL][=WEIGHT],..." }

// Task returns the chosen task out of tasks, with its parameters. The error names an
// unknown task or level, or an invalid parameter.
func (c Choice) Task(tasks *task.Set) (quintain.Task, error) {
	t, err := tasks.Get(c.Name)
	if err != nil {
		return nil, err
	}
	if c.Params != nil {
		if t, err = t.With(c.Params); err != nil {
			return nil, err
		}
	}
	return t, c.check(t)
}

// Streams returns a stream of problems for each choice, in order, played in the scenario
// as. The error is that of the first choice that cannot be played.
func (l Choices) Streams(tasks *task.Set, as *ScenarioChoice, seed uint64) ([]rollout.Stream, error) {
	streams := make([]rollout.Stream, len(l))
	for i, choice := range l {
		t, err := choice.Task(tasks)
		if err != nil {
			return nil, err
		}
		s, err := as.Over(t)
		if err != nil {
			return nil, err
		}
		streams[i] = rollout.Stream{Scenario: s, Seed: seed, Level: choice.Level, Weight: choice.Weight}
	}
	return streams, nil
}

// check reports a level that t lacks.
func (c Choice) check(t quintain.Task) error {
	if levels := len(t.Info().Levels); c.Level < 0 || c.Level >= levels {
		return fmt.Errorf("level of %s is %d, want 0 to %d", c.Name, c.Level, levels-1)
	}
	return nil
}

// levels are one or several levels, written 2 or 0-3.
type levels struct {
	first, last int
	given       bool
}

// Set implements [settings.Value].
func (l *levels) Set(text string) error {
	first, last, several := strings.Cut(text, "-")
	if !several {
		last = first
	}
	from, fromErr := strconv.Atoi(first)
	to, toErr := strconv.Atoi(last)
	if fromErr != nil || toErr != nil || from > to {
		return fmt.Errorf("is %q, want a number, or a range such as 0-3", text)
	}
	*l = levels{first: from, last: to, given: true}
	return nil
}

// Take implements [settings.Value].
func (l *levels) Take(v any) error { return l.Set(fmt.Sprint(v)) }

// Give implements [settings.Value].
func (l *levels) Give() any { return l.String() }

// String implements [settings.Value].
func (l *levels) String() string {
	if l.first == l.last {
		return strconv.Itoa(l.first)
	}
	return fmt.Sprintf("%d-%d", l.first, l.last)
}

// Type implements [settings.Value].
func (l *levels) Type() string { return "LEVEL[-LEVEL]" }
