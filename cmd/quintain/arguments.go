package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/settings/flags"
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
func oneArg(name string) cobra.PositionalArgs { return wants(1, "one "+name) }

// atMostOneArg wants one argument, called name, or none.
func atMostOneArg(name string) cobra.PositionalArgs { return wants(0, "one "+name+" at most") }

func wants(least int, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > 1 {
			return usagef("%s wants %s, has %d arguments", c.CommandPath(), what, len(args))
		}
		return nil
	}
}
