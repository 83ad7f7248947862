package catalog

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/tasks/list"
)

// A composite is a task with the problems of others. Each problem names the task that made
// it, and that task alone can grade it too.
type composite struct {
	info   quintain.Info
	tasks  *task.Set
	levels [][]portion
}

// A portion is a task in a mixture.
type portion struct {
	task  quintain.Task
	level int
	upTo  float64 // its weight plus those of the portions before it
}

// NewComposite returns the task that mixes others. Its level n has all tasks at their level
// n; its parameters are a [Mixture].
func NewComposite() (quintain.Task, error) {
	tasks, err := task.NewSet(Tasks())
	if err != nil {
		return nil, err
	}
	c := &composite{tasks: tasks, info: quintain.Info{
		Name: list.Composite, Category: "other", Version: 1,
		Doc:    "Problems of other tasks, mixed by their weights; without parameters, of all tasks. Each problem names the task that made it.",
		Source: "The composite data set of reasoning-gym (Open-Thought, Apache-2.0); the code is our own.",
	}}
	for level := range fewestLevels(tasks.All()) {
		if err := c.add(fmt.Appendf(nil, `{"datasets":[{"name":"composite","level":%d}]}`, level)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// fewestLevels returns the smallest number of levels among tasks.
func fewestLevels(tasks []quintain.Task) int {
	least := len(tasks[0].Info().Levels)
	for _, t := range tasks {
		least = min(least, len(t.Info().Levels))
	}
	return least
}

// add adds a level with parameters.
func (c *composite) add(params json.RawMessage) error {
	m := Mixture{Size: defaultSize}
	if err := settings.ReadJSON(&m, params); err != nil {
		return fmt.Errorf("task %s: params: %w", list.Composite, err)
	}
	var portions []portion
	sum := 0.0
	for _, choice := range m.Datasets {
		t, err := choice.Task(c.tasks)
		if err != nil {
			return err
		}
		sum += choice.Weight
		portions = append(portions, portion{t, choice.Level, sum})
	}
	c.levels, c.info.Levels = append(c.levels, portions), append(c.info.Levels, params)
	return nil
}

// Info implements [quintain.Task].
func (c *composite) Info() quintain.Info { return c.info }

// With implements [quintain.Task].
func (c *composite) With(params json.RawMessage) (quintain.Task, error) {
	with := &composite{info: c.info, tasks: c.tasks}
	with.info.Levels = nil
	return with, with.add(params)
}

// streams names the random streams that choose portions.
var streams = rng.Named(list.Composite)

// Problem implements [quintain.Task]. A problem is its task's problem with the same seed
// and index.
func (c *composite) Problem(d quintain.Draw) (quintain.Problem, error) {
	switch {
	case d.Level < 0 || d.Level >= len(c.levels):
		return quintain.Problem{}, fmt.Errorf("task %s: level is %d, want 0 to %d", list.Composite, d.Level, len(c.levels)-1)
	case d.Index < 0:
		return quintain.Problem{}, fmt.Errorf("task %s: index is %d, want 0 or more", list.Composite, d.Index)
	}
	portions := c.levels[d.Level]
	last := len(portions) - 1
	at, i := streams.Stream(d.Seed, d.Index).Float()*portions[last].upTo, 0
	for i < last && portions[i].upTo <= at {
		i++
	}
	return portions[i].task.Problem(quintain.Draw{Seed: d.Seed, Level: portions[i].level, Index: d.Index})
}

// Grade implements [quintain.Task].
func (c *composite) Grade(p quintain.Problem, answer string) (quintain.Verdict, error) {
	t, err := c.tasks.Get(p.Task)
	if err != nil {
		return quintain.Verdict{}, err
	}
	return t.Grade(p, answer)
}

// Solve implements [quintain.Task].
func (c *composite) Solve(p quintain.Problem) (string, error) {
	t, err := c.tasks.Get(p.Task)
	if err != nil {
		return "", err
	}
	return t.Solve(p)
}

// Key implements [quintain.Keyer].
func (c *composite) Key(p quintain.Problem) (quintain.Key, error) {
	t, err := c.tasks.Get(p.Task)
	if err != nil {
		return quintain.Key{}, err
	}
	return quintain.KeyOf(t, p)
}
