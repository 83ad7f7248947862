package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/settings"
)

func newConfig(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Print the settings as they are understood",
		Long: `Config prints all settings in the form of the file that --config reads, each with what
it means, as flags, environment and file give them. A flag wins over the environment (the
key in capitals with QUINTAIN_ before it: QUINTAIN_RUN_GROUP_SIZE for run.group_size), the
environment over the file, and the file over the defaults.`,
		Example: `  quintain config > quintain.yaml
  QUINTAIN_RUN_GROUP_SIZE=16 quintain config --config quintain.yaml --batch-size 128`,
		Args: noArgs,
	}
	load := w.settings(c, "config")
	c.RunE = func(*cobra.Command, []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		text, err := settings.New(cfg).YAML()
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(w.stdout, text)
		return err
	}
	return c
}
