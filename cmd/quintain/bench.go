package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func newBench(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure how fast a part of the program is",
		Args:  noArgs,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBenchHub(w))
	return c
}

// A hubLoad says which load is put on a hub.
type hubLoad struct {
	url         string
	scenarios   string
	form        string
	sequences   int
	length      int
	connections int
	seconds     time.Duration
	groups      int
	batch       int
	gzip        bool
	envs        int
}

func newBenchHub(w *world) *cobra.Command {
	var load hubLoad
	c := &cobra.Command{
		Use:   "hub",
		Short: "Measure a running hub, or run-api of Atropos",
		Long: `Bench hub puts a load on a hub that is running, ours or any that speaks the API of
Atropos, and prints what it measured as one line of JSON for each scenario:

  ingest   groups are posted, each when the one before on its connection is answered
  polls    the same, while environments ask for their status ten times a second each
  batch    groups are posted, then taken in batches, while another client asks for
           /info all the time
  backlog  small groups are posted, sixteen in a request, then taken in batches

It begins each scenario with /reset_data: what the hub holds is lost. bench/hub.py runs it
on two servers, side by side.`,
		Example: `  quintain bench hub --url http://127.0.0.1:8000 --scenario ingest
  quintain bench hub --scenario ingest --form binary --connections 16
  quintain bench hub --scenario batch --groups 320 --batch 256`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return benchHub(c, w, load) },
	}
	f := c.Flags()
	f.StringVar(&load.url, "url", "http://127.0.0.1:8000", "the hub; what it holds is lost")
	f.StringVar(&load.scenarios, "scenario", "ingest,batch,backlog,polls", "what to measure")
	f.StringVar(&load.form, "form", "json", "how groups are posted: json, gzip or binary, which only our hub takes")
	f.IntVar(&load.sequences, "sequences", 8, "sequences in a group")
	f.IntVar(&load.length, "length", 0, "tokens of a sequence; 0: 2048, or 64 for a backlog")
	f.IntVar(&load.connections, "connections", 8, "connections on which groups are posted")
	f.DurationVar(&load.seconds, "time", 5*time.Second, "how long ingest and polls take")
	f.IntVar(&load.groups, "groups", 0, "groups that are posted and taken; 0: 320, or 20000 for a backlog")
	f.IntVar(&load.batch, "batch", 256, "sequences in a batch")
	f.BoolVar(&load.gzip, "accept-gzip", false, "take batches zipped")
	f.IntVar(&load.envs, "environments", 1000, "environments that poll")
	return c
}

// benchHub measures one scenario after another.
func benchHub(c *cobra.Command, w *world, load hubLoad) error {
	known := map[string]func(*hubBench, context.Context) (any, error){
		"ingest": (*hubBench).ingest, "polls": (*hubBench).polls, "batch": (*hubBench).batches, "backlog": (*hubBench).backlog,
	}
	if load.form != "json" && load.form != "gzip" && load.form != "binary" {
		return usagef("--form: %q is neither json, gzip nor binary", load.form)
	}
	if load.sequences < 1 || load.connections < 1 || load.batch < 1 || load.length < 0 || load.groups < 0 || load.envs < 1 || load.seconds <= 0 {
		return usagef("the numbers of a load are above 0")
	}
	for name := range strings.SplitSeq(load.scenarios, ",") {
		run, ok := known[name]
		if !ok {
			return usagef("--scenario: %q is neither ingest, polls, batch nor backlog", name)
		}
		b, err := newHubBench(c.Context(), load, name)
		if err != nil {
			return err
		}
		row, err := run(b, c.Context())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		text, err := json.Marshal(row)
		if err != nil {
			return err
		}
		fmt.Fprintf(w.stdout, "%s\n", text)
	}
	return nil
}
