package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/settings"
	"github.com/quintain-rl/quintain/settings/flags"
)

// settings gives c the flags of a verb's settings, and returns what reads them from
// flags, environment and file.
func (w *world) settings(c *cobra.Command, verb string) func() (*config, error) {
	file := c.Flags().String("config", "", "YAML file with settings; quintain config prints its form")
	given := flags.Add(c, settings.New(defaults(kindTiny)).Use(uses()[verb]...).Settings())
	return func() (*config, error) {
		c, err := w.loadConfig(verb, *file, given)
		if err == nil && slices.Contains(uses()[verb], "mixture") {
			err = c.readMixture()
		}
		return c, err
	}
}
