package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

func newTasksList(w *world) *cobra.Command {
	var f catalog.Filter
	var asJSON, long bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tasks, a line each",
		Long: `List prints a table of the tasks: the name, the category, how many levels there are,
how the task scores, and its guess rate. That is how often the best answer that is
given without reading the problem is fully right, at the level where that is highest.

Two words say how a task scores. The first says how many answers are right, the second
what earns part of the score.

` + scoringHelp(),
		Example: `  quintain tasks list --category games
  quintain tasks list --scoring many,whole --guess-rate 0.01`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			rows, err := f.Find()
			if fault := new(catalog.FilterError); errors.As(err, &fault) {
				return usagef("--%s %s", strings.ReplaceAll(fault.Field, " ", "-"), fault.Why)
			}
			if err != nil {
				return err
			}
			if asJSON {
				return listJSON(w.stdout, rows)
			}
			return screen.Tasks(w.stdout, rows, long)
		},
	}
	c.Flags().StringVar(&f.Category, "category", "", "only the tasks of this category")
	c.Flags().StringVar(&f.Scoring, "scoring", "", "only the tasks that all these words describe, with commas between")
	c.Flags().IntVar(&f.Levels, "levels", 0, "only the tasks with at least this many levels")
	c.Flags().Float64Var(&f.GuessRate, "guess-rate", 1, "only the tasks with a guess rate of at most this, at every level")
	c.Flags().BoolVar(&long, "long", false, "also say in a sentence what each task is")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line, with the parameters, guess rate and number of problems of every level")
	return c
}

// scoringHelp explains the words for scoring.
func scoringHelp() string {
	var b strings.Builder
	for _, s := range catalog.Scorings {
		fmt.Fprintf(&b, "  %-11s%s\n", s.Word, s.Doc)
	}
	return b.String()
}

// listJSON prints a JSON object for each row.
func listJSON(out io.Writer, rows []catalog.Entry) error {
	type line struct {
		Category string `json:"category"`
		quintain.Info
		Scoring  string               `json:"scoring"`
		Measured []catalog.LevelFacts `json:"measured"` // by level
	}
	for _, r := range rows {
		l := line{r.Info.Category, r.Info, strings.Join(r.Facts.Scoring(r.Info), ", "), []catalog.LevelFacts{}}
		if r.Measured {
			l.Measured = r.Facts.Levels
		}
		if err := jsonform.WriteLine(out, l); err != nil {
			return err
		}
	}
	return nil
}
