package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/scenario/external/venv"
)

// settings gives c the flags of a verb's settings. It returns a function that reads the
// settings from flags, environment and file.
func (w *world) settings(c *cobra.Command, verb string) func() (*config, error) {
	file := c.Flags().String("config", "", "YAML file with settings, in the form that quintain settings --file prints")
	given := flags.Add(c, w.form().Use(uses()[verb]...))
	return func() (*config, error) {
		c, err := w.loadConfig(verb, *file, given)
		if err == nil {
			c.Source.Scenario.Missing = func(ctx context.Context, missing *venv.MissingError) error { return offer(ctx, w, missing) }
		}
		if err != nil || !slices.Contains(uses()[verb], "mixture") {
			return c, err
		}
		return c, c.readMixture()
	}
}

// form returns the settings with their defaults, which the flags of all verbs share.
func (w *world) form() *settings.Form {
	if w.defaults == nil {
		w.defaults = settings.New(defaults(player.Tiny))
	}
	return w.defaults
}
