package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
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

// draftFlags gives c the flags of d, except the task.
func draftFlags(c *cobra.Command, d *catalog.Draft) {
	c.Flags().Uint64Var(&d.Seed, "seed", 1, "seed of the stream of problems")
	c.Flags().IntVar(&d.Level, "level", 0, "level of difficulty; 0 is the easiest")
	c.Flags().StringVar(&d.Params, "params", "", "custom settings as a JSON object, in place of --level; others keep the task's defaults")
	c.Flags().IntVar(&d.Index, "index", 0, "index of the first problem in the stream")
	c.MarkFlagsMutuallyExclusive("level", "params")
}

// openDraft returns the task of d, which flags and arguments name.
func openDraft(d *catalog.Draft) (quintain.Task, error) {
	if d.Task == "" {
		return nil, usagef("--task is missing; quintain tasks list names them all")
	}
	t, err := d.Open()
	if err != nil {
		return nil, usageError{err}
	}
	return t, nil
}
