package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/curve"
	"github.com/quintain-rl/quintain/datadir"
	"github.com/quintain-rl/quintain/run"
)

// plotFile is the picture that plot writes if standard output is a terminal.
const plotFile = "learning.svg"

func newPlot(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "plot FOLDER…",
		Short: "Draw the learning curves of runs as SVG",
		Long: `Plot draws how the mean score of held-out problems went over the minutes of runs, a
line for each data folder. The points are those of examinations.jsonl in the folders. The
picture goes to standard output, or to the file ` + plotFile + ` if that is a terminal.`,
		Example: `  quintain plot quintain-data > curve.svg
  quintain plot --by-task quintain-data > tasks.svg`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s wants one data folder or more", c.CommandPath())
			}
			return nil
		},
	}
	byTask := c.Flags().Bool("by-task", false, "draw a line for each task of a folder")
	c.RunE = func(_ *cobra.Command, folders []string) error {
		p := curve.Plot{Title: "mean score of held-out problems"}
		for i, name := range folderNames(folders) {
			if err := plotFolder(&p, folders[i], name, *byTask); err != nil {
				return err
			}
		}
		if !w.tty {
			_, err := w.stdout.Write([]byte(p.SVG()))
			return err
		}
		if err := os.WriteFile(plotFile, []byte(p.SVG()), 0o644); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w.stdout, plotFile)
		return err
	}
	return c
}

// folderNames names folders by their last part, or by the whole path if others have the
// same last part.
func folderNames(folders []string) []string {
	count := map[string]int{}
	for _, folder := range folders {
		count[filepath.Base(folder)]++
	}
	names := make([]string, len(folders))
	for i, folder := range folders {
		if names[i] = filepath.Base(folder); count[names[i]] > 1 {
			names[i] = filepath.Clean(folder)
		}
	}
	return names
}

// plotFolder adds the line of a data folder, or one for each of its tasks.
func plotFolder(p *curve.Plot, folder, name string, byTask bool) error {
	path := filepath.Join(folder, datadir.Examinations)
	lines, err := run.ReadExams(path)
	if errors.Is(err, fs.ErrNotExist) {
		return usagef("there is no %s: is %s the data folder of a run with examinations?", path, folder)
	}
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return usagef("%s has no line yet", path)
	}
	for _, line := range lines {
		if !byTask {
			p.Add(name, line.Seconds/60, line.Mean)
			continue
		}
		for _, task := range slices.Sorted(maps.Keys(line.Tasks)) {
			p.Add(task, line.Seconds/60, line.Tasks[task])
		}
	}
	return nil
}
