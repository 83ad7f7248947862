package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/scenario/external"
)

func newScenariosInit(w *world) *cobra.Command {
	var p external.Project
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "Write a scenario of your own, with tests, settings and a README",
		Long: `Init writes a small scenario that works at once into a new folder: the Python program that asks,
answers and judges, its tests, the settings of a run, and a README with the commands.
docs/scenarios.md explains scenarios.`,
		Example: `  quintain scenarios init count_letters
  quintain scenarios init projects/mine --name count_letters`,
		Args: oneArg("DIR"),
		RunE: func(_ *cobra.Command, args []string) error {
			p.Dir = args[0]
			files, err := p.Write()
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(w.stdout, "wrote %s; begin with %s\n", strings.Join(files, ", "), filepath.Join(p.Dir, "README.md"))
			return err
		},
	}
	c.Flags().StringVar(&p.Name, "name", "", "name of the scenario; empty: that of the folder")
	return c
}
