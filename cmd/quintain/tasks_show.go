package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newTasksShow(w *world) *cobra.Command {
	var d draft
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show what a task is, its levels, a problem, a solution, and what answers near it earn",
		Long: `Show prints what a task is, how hard its levels are, one problem with a solution, and
what texts near that solution earn, and why. How a model is asked the problem depends
on the scenario: see quintain scenarios show.`,
		Example: "  quintain tasks show countdown --level 2 --seed 5",
		Args:    oneArg("NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			d.task = args[0]
			t, err := d.open()
			if err != nil {
				return err
			}
			s, err := catalog.NewSpecimen(t, d.draw())
			if err != nil {
				return err
			}
			return screen.Task(w.stdout, t.Info(), s)
		},
	}
	d.flags(c)
	return c
}
