package main

import (
	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/policy/judge/jury"
)

func newJudge(w *world) *cobra.Command {
	return jury.Desk{
		Stdin: w.stdin, Stdout: w.stdout, Stderr: w.stderr, Attend: w.attend, Usage: func(err error) error { return usageError{err} },
	}.Command()
}
