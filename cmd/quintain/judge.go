package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/policy/judge/jury"
)

func newJudge(w *world) *cobra.Command {
	c := &cobra.Command{Use: "judge", Short: "Grade replies with a model as the judge", Args: noArgs}
	c.AddCommand(jury.Desk{
		Stdin: w.stdin, Stdout: w.stdout, Stderr: w.stderr, Usage: func(err error) error { return usageError{err} },
		Attend: func(ctx context.Context, work func(context.Context) error) error {
			return w.attend(ctx, func(ctx context.Context, _ <-chan struct{}) error { return work(ctx) })
		},
	}.Commands()...)
	return c
}
