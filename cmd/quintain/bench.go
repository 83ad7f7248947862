package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/fleet/leaseload"
	"github.com/quintain-rl/quintain/fleet/simulate"
	"github.com/quintain-rl/quintain/hub/hubload"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/policyload"
	"github.com/quintain-rl/quintain/policy/probe"
	"github.com/quintain-rl/quintain/sandbox/sandboxload"
	"github.com/quintain-rl/quintain/serve/openenv/openenvload"
)

func newBench(w *world) *cobra.Command {
	c := &cobra.Command{
		Use: "bench", Short: "Measure the speed of a part of the program", Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newBenchHub(w), newBenchPolicy(w), newBenchOpenEnv(w), newBenchFleet(w), newBenchLeases(w), newBenchSandbox(w))
	return c
}

// measure prints the row that work returns, unless a signal ends it.
func (w *world) measure(c *cobra.Command, work func(context.Context) (row any, err error)) error {
	return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
		row, err := work(ctx)
		if err != nil {
			return err
		}
		return jsonform.WriteLine(w.stdout, row)
	})
}

func newBenchHub(w *world) *cobra.Command {
	load, scenarios := hubload.Default(), strings.Join(hubload.Scenarios(), ",")
	c := &cobra.Command{
		Use: "hub", Short: "Measure a running hub, or run-api of Atropos", Args: noArgs,
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
		RunE: func(c *cobra.Command, _ []string) error { return benchHub(c, w, load, strings.Split(scenarios, ",")) },
	}
	c.Flags().AddGoFlagSet(load.Flags())
	c.Flags().StringVar(&scenarios, "scenario", scenarios, "scenarios, separated by commas")
	return c
}

// benchHub measures one scenario after another.
func benchHub(c *cobra.Command, w *world, load hubload.Load, scenarios []string) error {
	if err := load.Check(scenarios...); err != nil {
		return usagef("--%w", err)
	}
	for _, name := range scenarios {
		if err := w.measure(c, func(ctx context.Context) (any, error) { return load.Run(ctx, name) }); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func newBenchPolicy(w *world) *cobra.Command {
	m := policyload.Measurement{
		Load: policyload.Load{Streams: 1000, Rounds: 3, Ramp: 5 * time.Second, Prompt: 256, Tokens: 128},
		From: openai.Settings{Timeout: time.Hour}, Kind: probe.VLLM, Fake: policyload.Fake{Rate: 20, FirstToken: 20 * time.Millisecond},
	}
	faked, kind := false, string(m.Kind)
	c := &cobra.Command{
		Use: "policy", Short: "Measure how many streams of tokens one process can read", Args: noArgs,
		Long: `Bench policy asks an inference server for many replies at once, by tokens, and prints
the measurement as one line of JSON. With --fake it starts quintain fake-server as a
second process, with replies of a known duration: any time beyond that is the latency that
client, network and fake server add together.`,
		Example: `  quintain bench policy --fake --streams 10000
  quintain bench policy --url http://127.0.0.1:8001 --model my-model --streams 256
  quintain bench policy --url http://gpu1:8001 --url http://gpu2:8001 --streams 512`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := m.Load.Check(); err != nil {
				return usagef("--%w", err)
			}
			if faked == (len(m.URLs) > 0) {
				return usagef("want either --fake or the --url of a server")
			}
			m.Kind = probe.Kind(kind)
			return w.measure(c, func(ctx context.Context) (any, error) { return m.Run(ctx, w.stderr) })
		},
	}
	f := c.Flags()
	f.BoolVar(&faked, "fake", false, "measure quintain fake-server in a second process")
	f.StringSliceVar(&m.URLs, "url", nil, "address of the server, with or without /v1; or of several servers of one model")
	f.StringVar(&m.From.Model, "model", "", "name of the model; empty: the server's first")
	f.StringVar(&m.From.KeyFile, "policy-key-file", "", "file with the API key")
	f.StringVar(&kind, "server", kind, "protocol of the fake server: vllm, sglang or llamacpp; other servers are recognised")
	f.IntVar(&m.Load.Streams, "streams", m.Load.Streams, "replies at once")
	f.IntVar(&m.Load.Rounds, "rounds", m.Load.Rounds, "replies of each stream, one after another")
	f.DurationVar(&m.Load.Ramp, "ramp", m.Load.Ramp, "time over which the streams begin")
	f.IntVar(&m.Load.Prompt, "prompt", m.Load.Prompt, "tokens of a prompt")
	f.IntVar(&m.Load.Tokens, "tokens", m.Load.Tokens, "most tokens of a reply")
	f.Float64Var(&m.Fake.Rate, "rate", m.Fake.Rate, "tokens a second of each reply of the fake server")
	f.DurationVar(&m.Fake.FirstToken, "first-token", m.Fake.FirstToken, "time to the first token of the fake server")
	return c
}

func newBenchOpenEnv(w *world) *cobra.Command {
	load := openenvload.Default()
	c := &cobra.Command{
		Use: "openenv", Short: "Measure how many sessions an OpenEnv server can play at once", Args: noArgs,
		Long: `Bench openenv opens sessions with an OpenEnv server, quintain serve or any other with the
environment reasoning_gym_env, plays episodes in all sessions at once, and prints its
measurements as one line of JSON.`,
		Example: `  quintain serve --max-connections 20000 &
  quintain bench openenv --sessions 16384`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := load.Check(); err != nil {
				return usagef("--%w", err)
			}
			return w.measure(c, func(ctx context.Context) (any, error) { return load.Run(ctx) })
		},
	}
	c.Flags().AddGoFlagSet(load.Flags())
	return c
}

func newBenchFleet(w *world) *cobra.Command {
	b := simulate.NewBench()
	c := &cobra.Command{
		Use: "fleet", Short: "Simulate a run on many workers that die and freeze, and how its leases fare", Args: noArgs,
		Long: `Bench fleet simulates the owner of a run, its workers, their servers and a trainer in virtual
time, and prints a line for each number of workers. It audits the leases as it goes: if a
draw is lost or counts twice, it ends with status 1. The same flags give the same output.`,
		Example: `  quintain bench fleet --workers 10,100,1000,10000 --seed 1
  quintain bench fleet --slots 128 --deaths 1h --lease-time 1m --json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.Check(); err != nil {
				return usagef("--%w", err)
			}
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return b.Run(ctx, w.stdout) })
		},
	}
	c.Flags().AddGoFlagSet(b.Flags())
	return c
}

func newBenchLeases(w *world) *cobra.Command {
	load := leaseload.Default()
	c := &cobra.Command{
		Use: "leases", Short: "Measure how many leases a coordinator grants and takes back", Args: noArgs,
		Long: `Bench leases has workers that play nothing take and finish the leases of a coordinator in
this process, and prints each measurement as one line of JSON (docs/benchmarks.md).`,
		Example: `  quintain bench leases --nats nats://n0:4222,nats://n1:4222 --replicas 3`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := load.Check(); err != nil {
				return usagef("--%w", err)
			}
			show := func(row any) error { return jsonform.WriteLine(w.stdout, row) }
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return load.Run(ctx, show) })
		},
	}
	c.Flags().AddGoFlagSet(load.Flags())
	return c
}

func newBenchSandbox(w *world) *cobra.Command {
	load := sandboxload.Default()
	c := &cobra.Command{
		Use: "sandbox", Short: "Measure what the sandbox of this machine costs", Args: noArgs,
		Long: `Bench sandbox starts an interpreter that does nothing, in turn plainly, in the sandbox, and
forked by a zygote, and prints all times as one line of JSON. bench/sandbox.py compares them.`,
		Example: `  quintain bench sandbox --times 500`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := load.Check(); err != nil {
				return usagef("--%w", err)
			}
			return w.measure(c, func(ctx context.Context) (any, error) { return load.Run(ctx) })
		},
	}
	c.Flags().AddGoFlagSet(load.Flags())
	return c
}
