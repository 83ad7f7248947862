package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/list"
)

func newTasksShow(w *world) *cobra.Command {
	var d catalog.Draft
	c := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a task: its levels, a problem with a solution, and scores of near answers",
		Long: `Show describes a task and its levels, and prints one problem with a solution, and scores of texts near it, with
reasons. The scenario decides how a model is asked the problem: see quintain scenarios show.`,
		Example: "  quintain tasks show countdown --level 2 --seed 5",
		Args:    oneArg("NAME"), ValidArgsFunction: flags.Complete(catalog.CompleteTask),
		RunE: func(_ *cobra.Command, args []string) error {
			d.Task = args[0]
			t, err := openDraft(&d)
			if err != nil {
				return err
			}
			s, err := list.NewSpecimen(t, d.Draw())
			if err != nil {
				return err
			}
			return screen.Task(w.stdout, t.Info(), s)
		},
	}
	draftFlags(c, &d)
	return c
}
