package screen

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/exam"
)

// Comparison prints the difference between the evaluations in two folders, or files.
func Comparison(out io.Writer, c *exam.Comparison, before, after string) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight|tabwriter.TabIndent)
	fmt.Fprint(t, "task\tproblems\tbefore\tafter\tdifference\t95 %\tbetter\tworse\tp\t\n")
	for _, row := range append(c.Rows, exam.RowChange{Label: "all", Change: c.Change}) {
		within := "none"
		if row.Within != nil {
			within = fmt.Sprintf("%+.3f to %+.3f", row.Within.Low, row.Within.High)
		}
		fmt.Fprintf(t, "%s\t%d\t%.3f\t%.3f\t%+.3f\t%s\t%d\t%d\t%.3g\t\n",
			Safe(row.Label), row.Problems, row.Before, row.After, row.Difference, within, row.Better, row.Worse, row.P)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if c.Unscored > 0 {
		fmt.Fprintf(out, "\nleft out, without a score in one of the two: %s\n", stats.Count(c.Unscored, "problem"))
	}
	for _, f := range c.Flips {
		fmt.Fprintf(out, "\n%s: %s, then %s", Safe(f.ID), f.Before, f.After)
	}
	if len(c.Flips) > 0 {
		fmt.Fprintf(out, "\n\nread the episodes of a problem: quintain trace show PROBLEM --data %s, or %s\n", before, after)
	}
	return nil
}

// Failures says how many episodes of an evaluation failed, and why the last one did.
func Failures(p exam.Progress) string {
	if p.Failed == 0 {
		return "none failed"
	}
	return fmt.Sprintf("%d failed (%s)", p.Failed, Clip(Fault(p.Cause), 60))
}
