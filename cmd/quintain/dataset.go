package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/grade/codegrade/problems"
)

func newDataset(w *world) *cobra.Command {
	k := problems.New(w.stdout)
	c := &cobra.Command{
		Use: "check FILE", Short: "Find out which rows of a file of problems can be used: code problems by running their solutions",
		Example: "  quintain dataset check train.jsonl", Args: oneArg("FILE"),
		RunE: func(c *cobra.Command, args []string) error {
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return k.Run(ctx, args[0]) })
		},
	}
	c.Flags().AddGoFlagSet(k.Flags())
	all := &cobra.Command{Use: "dataset", Short: "Check a file of problems", Args: noArgs}
	all.AddCommand(c)
	return all
}
