package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/sandbox/service"
)

func newSandbox(w *world) *cobra.Command {
	return service.Verbs{
		Stdin: w.stdin, Stdout: w.stdout, Stderr: w.stderr, Attend: w.attend, NoArgs: noArgs,
		Usage: func(err error) error { return usageError{err} },
	}.Command()
}
