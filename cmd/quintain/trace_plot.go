package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/run/artifacts"
)

// plotFile is the output of plot if standard output is a terminal.
const plotFile = "learning.svg"

func newTracePlot(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "plot FOLDER…",
		Short: "Draw the learning curves of runs as SVG",
		Long: `Plot draws the mean score on held-out problems over the minutes of runs, a line for each
data folder, from examinations.jsonl in the folders. The picture goes to standard output,
or to the file ` + plotFile + ` if that is a terminal.`,
		Example: `  quintain trace plot quintain-data > curve.svg
  quintain trace plot --by-task quintain-data > tasks.svg`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("trace plot wants one data folder or more")
			}
			return nil
		},
	}
	byTask := c.Flags().Bool("by-task", false, "draw a line for each task of a folder")
	c.RunE = func(_ *cobra.Command, folders []string) error {
		p, damaged := artifacts.LearningCurves(folders, *byTask)
		if _, ok := errors.AsType[*jsonl.DamagedError](damaged); damaged != nil && !ok {
			return usageError{damaged}
		}
		if !w.tty {
			_, err := w.stdout.Write([]byte(p.SVG()))
			return cmp.Or(err, damaged)
		}
		if err := os.WriteFile(plotFile, []byte(p.SVG()), 0o644); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w.stdout, plotFile)
		return cmp.Or(err, damaged)
	}
	return c
}
