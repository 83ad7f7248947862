package main

import (
	"fmt"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"
)

func newConfig(w *world, l *loader) *cobra.Command {
	c := &cobra.Command{
		Use:   "config",
		Short: "Print the settings as they are understood",
		Long: `Config prints all settings in the form of the file that --config reads, as flags,
environment and file give them. A flag wins over the environment (QUINTAIN_ and
the flag's name in capitals, QUINTAIN_GROUP_SIZE), the environment over the file,
and the file over the defaults.`,
		Example: `  quintain config > quintain.yaml
  QUINTAIN_GROUP_SIZE=16 quintain config --config quintain.yaml --batch-size 128`,
		Args: noArgs,
	}
	l.serverFlags(c)
	l.hubFlags(c)
	l.runFlags(c)
	c.RunE = func(*cobra.Command, []string) error {
		text, err := yaml.Marshal(l.settings)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w.stdout, "%s", text)
		return err
	}
	return c
}
