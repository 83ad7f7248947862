package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/sandbox/desk"
)

func newSandbox(w *world) *cobra.Command {
	c := desk.Desk{
		Stdin: w.stdin, Stdout: w.stdout, Stderr: w.stderr, Attend: w.attend, NoArgs: noArgs,
		Usage: func(err error) error { return usageError{err} },
	}.Command()
	bench := newBenchSandbox(w) // also a verb of bench
	bench.Use, bench.Example = "bench", "  quintain sandbox bench --times 500"
	bench.Long = strings.Replace(bench.Long, "Bench sandbox", "Bench", 1)
	c.AddCommand(bench)
	return c
}
