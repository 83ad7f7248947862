package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/hub/hubload"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

func newBench(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure the speed of a part of the program",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBenchHub(w), newBenchPolicy(w), newBenchOpenEnv(w))
	return c
}

func newBenchHub(w *world) *cobra.Command {
	load, scenarios := hubload.Default(), strings.Join(hubload.Scenarios(), ",")
	c := &cobra.Command{
		Use:   "hub",
		Short: "Measure a running hub, or run-api of Atropos",
		Long: `Bench hub puts a load on a running hub, ours or any with the API of Atropos, and prints
its measurements as one line of JSON for each scenario:

  ingest   post groups, the next on each connection after the reply to the last
  polls    the same, while environments ask for their status, each ten times a second
  batch    post groups, then take them in batches, while another client polls /info
  backlog  post small groups, sixteen in a request, then take them in batches

Each scenario begins with /reset_data, which deletes the groups of the hub. bench/hub.py
runs it on two servers, side by side.`,
		Example: `  quintain bench hub --url http://127.0.0.1:8000 --scenario ingest
  quintain bench hub --scenario ingest --form binary --connections 16
  quintain bench hub --scenario batch --groups 320 --batch 256`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return benchHub(c, w, load, strings.Split(scenarios, ",")) },
	}
	f := c.Flags()
	f.StringVar(&load.URL, "url", load.URL, "the hub, whose groups are deleted")
	f.StringVar(&scenarios, "scenario", scenarios, "scenarios, separated by commas")
	f.StringVar(&load.Form, "form", load.Form, "form of posted groups: json, gzip, or binary, which only our hub takes")
	f.IntVar(&load.Sequences, "sequences", load.Sequences, "sequences in a group")
	f.IntVar(&load.Length, "length", load.Length, "tokens of a sequence; 0: 2048, or 64 for a backlog")
	f.IntVar(&load.Connections, "connections", load.Connections, "connections that post groups")
	f.DurationVar(&load.Time, "time", load.Time, "duration of ingest and polls")
	f.IntVar(&load.Groups, "groups", load.Groups, "groups to post and take; 0: 320, or 20000 for a backlog")
	f.IntVar(&load.Batch, "batch", load.Batch, "sequences in a batch")
	f.BoolVar(&load.Gzip, "accept-gzip", load.Gzip, "take gzipped batches")
	f.IntVar(&load.Environments, "environments", load.Environments, "environments that poll")
	return c
}

// benchHub measures one scenario after another.
func benchHub(c *cobra.Command, w *world, load hubload.Load, scenarios []string) error {
	if err := load.Check(); err != nil {
		return usagef("--%w", err)
	}
	for _, name := range scenarios {
		if !slices.Contains(hubload.Scenarios(), name) {
			return usagef("--scenario: is %q, want some of %s", name, strings.Join(hubload.Scenarios(), ", "))
		}
	}
	for _, name := range scenarios {
		row, err := load.Run(c.Context(), name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := jsonform.WriteLine(w.stdout, row); err != nil {
			return err
		}
	}
	return nil
}
