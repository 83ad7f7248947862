package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/scenario/external"
)

func newScenariosInit(w *world) *cobra.Command {
	var p external.Project
	var agents bool
	c := &cobra.Command{
		Use:   "init DIR | --agents",
		Short: "Write a scenario of your own, with tests, settings and a README",
		Long: `Init writes a small scenario that works at once into a new folder: the Python program that asks,
answers and judges, its tests, the settings of a run, and a README with the commands.
docs/scenarios.md explains scenarios. With --agents it prints what a coding agent reads to write one:
a skill, and the AGENTS.md of each new folder.`,
		Example: `  quintain scenarios init count_letters
  quintain scenarios init projects/mine --name count_letters
  quintain scenarios init --agents > AGENTS.md`,
		Args: func(c *cobra.Command, args []string) error {
			if agents {
				return wants("no DIR beside --agents", 0)(c, args)
			}
			return oneArg("DIR")(c, args)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if agents {
				_, err := io.WriteString(w.stdout, external.Agents())
				return err
			}
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
	c.Flags().BoolVar(&agents, "agents", false, "print what a coding agent reads, and write no folder")
	return c
}
