package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/queue/packing"
)

func newHubPack(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "pack",
		Short: "Choose the groups of the next batch: JSON lines in, JSON lines out",
		Long: `Pack reads a question a line and prints an answer a line: the places of the waiting groups
that the hub would put into the next batch, or none if it would wait for more. A question may
have max_batch_size too.

  {"batch_size":8,"queue":[{"env_id":0,"sequences":4},…],"envs":[{"id":0,"connected":true,"min_batch_allocation":0.5},…]}
  {"target":8,"sizes":[4,2,2]}      which of these groups, each too small, add up to the target`,
		Example: `  echo '{"batch_size":8,"queue":[{"sequences":5},{"sequences":4},{"sequences":3}]}' | quintain hub pack
  {"picked":[0,2]}`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return untilInterrupt(c.Context(), w, func(ctx context.Context) error {
				return jsonl.Answer(ctx, w.input(), w.stdout, func() func(dst, line []byte) ([]byte, error) { return packing.Answer })
			})
		},
	}
}
