package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/sandbox/desk"
)

func newSandbox(w *world) *cobra.Command {
	return desk.Desk{
		Stdin: w.stdin, Stdout: w.stdout, Stderr: w.stderr, Attend: w.attend, NoArgs: noArgs,
		Usage: func(err error) error { return usageError{err} },
	}.Command()
}
