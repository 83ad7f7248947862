package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/task"
)

// A Choice is a task and a level that a user chose.
type Choice struct {
	Name   string
	Level  int
	Weight float64
	Params json.RawMessage // own parameters instead of a level; nil: none
}

// Choices are the chosen tasks; empty: none. As a flag they are written NAME[:LEVEL],…. In
// the file they may also be a list of such texts or of objects.
type Choices []Choice

// Set implements [settings.Value].
func (l *Choices) Set(text string) error {
	*l = nil
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		choice, err := ParseChoice(part)
		if err != nil {
			return err
		}
		*l = append(*l, choice)
	}
	return nil
}

// ParseChoice reads NAME or NAME:LEVEL. The weight is 1.
func ParseChoice(text string) (Choice, error) {
	name, level, has := strings.Cut(text, ":")
	choice := Choice{Name: name, Weight: 1}
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
func (l *Choices) Take(v any) error {
	switch v := v.(type) {
	case string:
		return l.Set(v)
	case []any:
		*l = nil
		for i, one := range v {
			choice, err := takeChoice(one)
			if err != nil {
				return inside(i, err)
			}
			*l = append(*l, choice)
		}
		return nil
	}
	return errors.New("want NAME[:LEVEL],… or a list of tasks")
}

// inside adds an index to the front of the place of a fault.
func inside(i int, err error) error {
	var f *settings.Fault
	if errors.As(err, &f) {
		return &settings.Fault{Place: append([]any{i}, f.Place...), Err: f.Err}
	}
	return &settings.Fault{Place: []any{i}, Err: err}
}

// takeChoice reads an element of a list: NAME[:LEVEL], or an object with name, level, weight
// and params.
func takeChoice(v any) (Choice, error) {
	if text, is := v.(string); is {
		return ParseChoice(text)
	}
	fields, is := v.(map[string]any)
	if !is {
		return Choice{}, errors.New("want NAME[:LEVEL], or an object with name, level, weight and params")
	}
	choice := choiceOptions{weight: 1}
	text, err := json.Marshal(fields)
	if err == nil {
		err = settings.ReadJSON(&choice, text)
	}
	if err != nil {
		return Choice{}, err
	}
	out := Choice{Name: choice.name, Level: choice.level, Weight: choice.weight}
	if choice.params != nil {
		out.Params, err = json.Marshal(choice.params)
	}
	return out, err
}

// choiceOptions are the settings of one task of a list.
type choiceOptions struct {
	name   string
	level  int
	weight float64
	params map[string]any
}

// Declare implements [settings.Declarer].
func (o *choiceOptions) Declare(d *settings.Section) {
	d.Text(&o.name, "name", "of the task").Given("the name of a task")
	d.Int(&o.level, "level", "of difficulty").AtLeast(0)
	d.Float(&o.weight, "weight", "share of the groups, relative to the weights of the other tasks").Above(0)
	d.Object(&o.params, "params", "own parameters, instead of a level")
}

// Give implements [settings.Value].
func (l *Choices) Give() any {
	list := []any{}
	for _, c := range *l {
		one := map[string]any{"name": c.Name, "level": int64(c.Level), "weight": c.Weight}
		if c.Params != nil {
			one["params"], _ = settings.FromJSON(c.Params) // it is JSON that was written by takeChoice
		}
		list = append(list, one)
	}
	return list
}

// String implements [settings.Value].
func (l *Choices) String() string {
	var parts []string
	for _, c := range *l {
		parts = append(parts, c.Name+":"+strconv.Itoa(c.Level))
	}
	return strings.Join(parts, ",")
}

// Type implements [settings.Value].
func (l *Choices) Type() string { return "NAME[:LEVEL],…" }

// Task returns the chosen one of tasks, with its parameters. The error names an unknown
// task or level, or an invalid parameter.
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
	if levels := len(t.Info().Levels); c.Level < 0 || c.Level >= levels {
		return nil, fmt.Errorf("level of %s is %d, want 0 to %d", c.Name, c.Level, levels-1)
	}
	return t, nil
}
