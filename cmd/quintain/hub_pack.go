package main

import (
	"bufio"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/packing"
)

// A packLine is one question of quintain hub pack.
type packLine struct {
	packing.Plan
	Sizes  []int `json:"sizes"`  // where a target is given
	Target *int  `json:"target"` // sequences that groups of these sizes are to make up
}

// maxPackLine is the size of the longest question, in bytes.
const maxPackLine = 64 << 20

func newHubPack(w *world) *cobra.Command {
	var strict bool
	c := &cobra.Command{
		Use:   "pack",
		Short: "Tell which groups a batch would be made of",
		Long: `Pack reads a question a line and answers each with a line: which of the groups that
wait, by their places, the hub would put into the next batch; none where it would
wait for others.

  {"batch_size":8,"queue":[{"env_id":0,"sequences":4},…],"envs":[{"id":0,"connected":true,"min_batch_allocation":0.5},…]}
  {"target":8,"sizes":[4,2,2]}      which groups that are too small make up one of the right size`,
		Example: `  echo '{"batch_size":8,"queue":[{"sequences":7},{"sequences":4},{"sequences":4}]}' | quintain hub pack
  {"picked":[1,2]}`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return packLines(w, strict) },
	}
	c.Flags().BoolVar(&strict, "strict", false, "pack as Atropos does, faults and all")
	return c
}

// packLines answers every line of the input.
func packLines(w *world, strict bool) error {
	lines := bufio.NewScanner(w.stdin)
	lines.Buffer(nil, maxPackLine)
	failed := false
	for lines.Scan() {
		q := packLine{Plan: packing.Plan{Strict: strict}}
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			failed = true
			text, err := json.Marshal(map[string]string{"error": err.Error()})
			if err != nil {
				return err
			}
			fmt.Fprintf(w.stdout, "%s\n", text)
			continue
		}
		picked := q.Plan.Pack
		if q.Target != nil {
			picked = func() []int { return packing.Completing(q.Sizes, *q.Target) }
		}
		text, err := json.Marshal(map[string][]int{"picked": picked()})
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stdout, "%s\n", text)
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if failed {
		return errReported
	}
	return nil
}
