package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newTasks(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "tasks",
		Short: "List, show and export the tasks",
		Example: `  quintain tasks list --scoring many
  quintain tasks show word_ladder --level 2
  quintain tasks export --task countdown --seed 7 --level 1 --count 1000 > countdown.jsonl`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTasksList(w), newTasksShow(w), newTasksExport(w))
	return c
}

// A draft says which problems a command makes, from its flags.
type draft struct {
	task   string
	seed   uint64
	level  int
	params string
	index  int
}

// flags adds the flags of d to c, all but the task.
func (d *draft) flags(c *cobra.Command) {
	c.Flags().Uint64Var(&d.seed, "seed", 1, "seed of the stream of problems")
	c.Flags().IntVar(&d.level, "level", 0, "level of difficulty, 0 is the easiest")
	c.Flags().StringVar(&d.params, "params", "", "own settings as a JSON object, in place of --level; what they leave out keeps the task's default")
	c.Flags().IntVar(&d.index, "index", 0, "place in the stream of the first problem")
	c.MarkFlagsMutuallyExclusive("level", "params")
}

// open returns the task that d names, with the settings of --params if they are given.
func (d *draft) open() (quintain.Task, error) {
	if d.task == "" {
		return nil, usagef("--task is missing; quintain tasks list names them all")
	}
	all := catalog.Tasks()
	if d.task == catalog.Composite { // it opens all of them
		composite, err := catalog.NewComposite()
		if err != nil {
			return nil, err
		}
		all = append(all, composite)
	}
	tasks, err := task.NewSet(all)
	if err != nil {
		return nil, err
	}
	t, err := tasks.Get(d.task)
	if err != nil {
		return nil, fmt.Errorf("%w (quintain tasks list names them all)", err)
	}
	if d.params == "" {
		return t, nil
	}
	return t.With(json.RawMessage(d.params))
}

// draw names the first problem of d.
func (d *draft) draw() quintain.Draw {
	level := d.level
	if d.params != "" {
		level = 0
	}
	return quintain.Draw{Seed: d.seed, Level: level, Index: d.index}
}
