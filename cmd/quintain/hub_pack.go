package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/queue/packing"
)

func newHubPack(w *world) *cobra.Command {
	var strict bool
	c := &cobra.Command{
		Use:   "pack",
		Short: "Tell which groups a batch would be made of",
		Long: `Pack reads a question on each line and answers it on a line: the places of the waiting
groups that the hub would put into the next batch, or none if it would wait for others.

  {"batch_size":8,"queue":[{"env_id":0,"sequences":4},…],"envs":[{"id":0,"connected":true,"min_batch_allocation":0.5},…]}
  {"target":8,"sizes":[4,2,2]}      which groups that are too small make up one of the right size`,
		Example: `  echo '{"batch_size":8,"queue":[{"sequences":7},{"sequences":4},{"sequences":4}]}' | quintain hub pack
  {"picked":[1,2]}`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return untilInterrupt(c.Context(), w, func(ctx context.Context) error {
				return jsonl.Answer(ctx, w.stdin, w.stdout, func() func(dst, line []byte) ([]byte, error) {
					return func(dst, line []byte) ([]byte, error) { return packed(dst, line, strict) }
				})
			})
		},
	}
	c.Flags().BoolVar(&strict, "strict", false, "pack as Atropos does, faults and all")
	return c
}

// packed answers a line.
func packed(dst, line []byte, strict bool) ([]byte, error) {
	q := struct {
		packing.Plan
		Sizes  []int `json:"sizes"`  // if a target is given
		Target *int  `json:"target"` // sequences that groups of these sizes are to make up
	}{Plan: packing.Plan{Strict: strict}}
	if err := jsonform.Unmarshal(line, &q); err != nil {
		return dst, err
	}
	var picked []int
	if q.Target != nil {
		picked = packing.Completing(q.Sizes, *q.Target)
	} else {
		picked = q.Plan.Pack()
	}
	text, err := jsonform.Marshal(map[string][]int{"picked": picked})
	return append(dst, text...), err
}
