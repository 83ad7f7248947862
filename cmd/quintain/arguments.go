package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/settings/flags"
)

// noArgs refuses arguments. If they name no command, it suggests the nearest.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if !c.HasAvailableSubCommands() {
		return usagef("unknown argument %q for %q", args[0], c.CommandPath())
	}
	return usagef("unknown command %q for %q%s", args[0], c.CommandPath(), flags.MeantCommand(c, args[0]))
}

// oneArg wants exactly one argument, called name.
func oneArg(name string) cobra.PositionalArgs { return wants("one "+name, 1) }

// wants refuses other numbers of arguments than counts, which what describes.
func wants(what string, counts ...int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if slices.Contains(counts, len(args)) {
			return nil
		}
		return usagef("%s wants %s, has %d", strings.TrimPrefix(c.CommandPath(), "quintain "), what, len(args))
	}
}
