package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/exam/examdir"
)

func newEvalCompare(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two examinations of the same problems, problem by problem",
		Long: `Compare pairs the problems of two examinations, each the folder of eval --out or what
eval --format json printed. It tells the difference of the mean scores with its 95 % interval (paired
bootstrap over problems), and how many problems are right in only one of the two, with
McNemar's test. Then it lists those problems.`,
		Example: `  quintain eval compare before after
  quintain trace show 'reasoning_gym.v2/countdown.v2.s7.l1.12' --data after`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("%s wants two examinations, has %d arguments", c.CommandPath(), len(args))
			}
			return nil
		},
	}
	asJSON := c.Flags().Bool("json", false, "print JSON")
	c.RunE = func(_ *cobra.Command, args []string) error {
		var reports [2]*exam.Report
		for i, path := range args {
			var err error
			if reports[i], err = examdir.Read(path); err != nil {
				return err
			}
		}
		compared, err := exam.Compare(reports[0], reports[1])
		switch {
		case err != nil:
			return err
		case *asJSON:
			return jsonform.WriteIndented(w.stdout, compared)
		}
		return printComparison(w.stdout, compared, args)
	}
	return c
}

// printComparison prints how the second of two examinations differs from the first.
func printComparison(out io.Writer, c *exam.Comparison, paths []string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	fmt.Fprint(t, "task\tproblems\tbefore\tafter\tdifference\t95 %\tbetter\tworse\tp\t\n")
	for _, row := range append(c.Rows, exam.RowChange{Label: "all", Change: c.Change}) {
		within := "none"
		if row.Within != nil {
			within = fmt.Sprintf("%+.3f to %+.3f", row.Within.Low, row.Within.High)
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%+.3f\t%s\t%d\t%d\t%.3g\t\n",
			screen.Safe(row.Label), row.Problems, row.Before, row.After, row.Difference, within, row.Better, row.Worse, row.P)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if c.Unscored > 0 {
		fmt.Fprintf(out, "\n%d problems have no score in one of the two, and are left out\n", c.Unscored)
	}
	for _, f := range c.Flips {
		fmt.Fprintf(out, "\n%s: %s, then %s", screen.Safe(f.ID), f.Before, f.After)
	}
	if len(c.Flips) > 0 {
		fmt.Fprintf(out, "\n\nread the episodes of a problem: quintain trace show PROBLEM --data %s, or %s\n", paths[0], paths[1])
	}
	return nil
}
