package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tasks/list"
)

func newTasksList(w *world) *cobra.Command {
	var f list.Filter
	var asJSON, long bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tasks, a line each",
		Long: `List prints a table of the tasks: name, category, number of levels, scoring, and guess: how
often the best answer given without reading the problem is fully right, at the first and
at the last level, in percent. It is the best of draws, or one answer to all different problems, if that is
right for more; "quintain tasks show NAME" tells both at every level. The column few names the levels that have few problems by
nature: a policy may learn most of them by heart, so evaluate it on held-out ones.

Two words describe the scoring: how many answers are right, and which earn part of the
score.

` + list.ScoringHelp(),
		Example: `  quintain tasks list --category games
  quintain tasks list --scoring many,whole --guess-rate 0.01`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			rows, err := f.Find(catalog.Tasks())
			if fault := new(list.FilterError); errors.As(err, &fault) {
				return usagef("--%s %s", strings.ReplaceAll(fault.Field, " ", "-"), fault.Why)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return list.WriteJSON(w.stdout, rows)
			}
			return screen.Tasks(w.stdout, rows, long)
		},
	}
	c.Flags().StringVar(&f.Category, "category", "", "only tasks of this category")
	c.Flags().StringVar(&f.Scoring, "scoring", "", "only tasks with all these scoring words, separated by commas")
	c.Flags().IntVar(&f.Levels, "levels", 0, "only tasks with at least this many levels")
	c.Flags().Float64Var(&f.GuessRate, "guess-rate", 1, "only tasks with at most this guess rate, at every level")
	c.Flags().BoolVar(&long, "long", false, "also describe each task in a sentence")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line, with the parameters, guess rate and number of problems of every level")
	return c
}
