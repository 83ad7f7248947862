package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings"
)

func newSettings(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:        "settings [WORD]",
		SuggestFor: []string{"config", "options", "flags"},
		Short:      "Find settings, or print those in effect",
		Long: `Settings prints the key, the flag if there is one, the default and the meaning of each setting, or of those
with a word in the key or the meaning. --with KEY=VALUE sets a setting, as does a flag; both override the
environment (QUINTAIN_RUN_GROUP_SIZE for run.group_size), which overrides the file of --config.

With --file it prints all settings as flags, environment and file set them, in the form of that file.`,
		Example: `  quintain settings grace
  quintain settings --file --batch-size 128 > quintain.yaml`,
		Args: wants("one WORD at most", 0, 1),
	}
	asFile := c.Flags().Bool("file", false, "print the settings in effect as a file")
	asJSON := c.Flags().Bool("json", false, "print JSON")
	load := w.settings(c, "settings")
	c.RunE = func(_ *cobra.Command, args []string) error {
		cfg, err := load()
		if err != nil {
			return err
		}
		form := settings.New(cfg)
		switch {
		case *asFile && len(args) > 0:
			return usagef("--file prints all settings: want it, or the word %s", args[0])
		case *asFile:
			text, err := form.YAML()
			if err == nil {
				_, err = fmt.Fprint(w.stdout, text)
			}
			return err
		}
		found, err := form.Search(append(args, "")[0])
		switch {
		case err != nil:
			return usageError{err}
		case *asJSON:
			return settings.WriteJSON(w.stdout, found)
		}
		return form.List(w.stdout, found)
	}
	return c
}
