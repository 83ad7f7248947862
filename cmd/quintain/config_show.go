package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/settings"
)

func newConfig(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Print the settings in effect",
		Long: `Config prints all settings with their meanings, as flags, environment and file set them,
in the form of the file that --config reads. A flag overrides the environment (the key in
capitals after QUINTAIN_: QUINTAIN_RUN_GROUP_SIZE for run.group_size), the environment
overrides the file, and the file the defaults.`,
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
