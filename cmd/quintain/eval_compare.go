package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/exam"
)

func newEvalCompare(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "Compare two evaluations of the same problems, problem by problem",
		Long: `Compare pairs the problems of two evaluations. Each is a folder of eval --out, or a
file with the output of eval --format json. It prints the difference of the mean scores
with its 95 % interval (paired bootstrap over problems), and how many problems are right
in only one of the two, with McNemar's test. Then it lists those problems.`,
		Example: `  quintain eval compare before after
  quintain trace list --data after --limit 20`,
		Args: wants("two evaluations", 2),
	}
	asJSON := c.Flags().Bool("json", false, "print JSON")
	c.RunE = func(_ *cobra.Command, args []string) error {
		var reports [2]*exam.Report
		for i, path := range args {
			var err error
			if reports[i], err = exam.ReadReport(path); err != nil {
				return err
			}
		}
		compared, err := exam.Compare(reports[0], reports[1])
		if err != nil {
			return err
		}
		if *asJSON {
			return strictjson.WriteIndented(w.stdout, compared)
		}
		return screen.Comparison(w.stdout, compared, args[0], args[1])
	}
	return c
}
