package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/policyload"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/probe"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/run"
)

// A policyBench is a measurement by bench policy.
type policyBench struct {
	load policyload.Load
	urls []string
	from openai.Settings
	kind string

	faked bool
	fake  policyload.Fake
}

func newBenchPolicy(w *world) *cobra.Command {
	b := policyBench{
		load: policyload.Load{Streams: 1000, Rounds: 3, Ramp: 5 * time.Second, Prompt: 256, Tokens: 128},
		from: openai.Settings{Timeout: time.Hour}, kind: string(probe.VLLM), fake: policyload.Fake{Rate: 20, FirstToken: 20 * time.Millisecond},
	}
	c := &cobra.Command{
		Use:   "policy",
		Short: "Measure how many streams of tokens one process can read",
		Long: `Bench policy asks an inference server for many replies at once, by tokens, and prints
the measurement as one line of JSON. With --fake it starts quintain fake-server as a
second process, with replies of a known duration: any time beyond that is the latency that
client, network and fake server add together.`,
		Example: `  quintain bench policy --fake --streams 10000
  quintain bench policy --url http://127.0.0.1:8001 --model my-model --streams 256
  quintain bench policy --url http://gpu1:8001 --url http://gpu2:8001 --streams 512`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.load.Check(); err != nil {
				return usagef("--%w", err)
			}
			if b.faked == (len(b.urls) > 0) {
				return usagef("want either --fake or the --url of a server")
			}
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return b.run(ctx, w) })
		},
	}
	f := c.Flags()
	f.BoolVar(&b.faked, "fake", false, "measure quintain fake-server in a second process")
	f.StringSliceVar(&b.urls, "url", nil, "address of the server, with or without /v1; or of several servers of one model")
	f.StringVar(&b.from.Model, "model", "", "name of the model; empty: the server's first")
	f.StringVar(&b.from.KeyFile, "policy-key-file", "", "file with the API key")
	f.StringVar(&b.kind, "server", b.kind, "protocol of the fake server: vllm, sglang or llamacpp; other servers are recognised")
	f.IntVar(&b.load.Streams, "streams", b.load.Streams, "replies at once")
	f.IntVar(&b.load.Rounds, "rounds", b.load.Rounds, "replies of each stream, one after another")
	f.DurationVar(&b.load.Ramp, "ramp", b.load.Ramp, "time over which the streams begin")
	f.IntVar(&b.load.Prompt, "prompt", b.load.Prompt, "tokens of a prompt")
	f.IntVar(&b.load.Tokens, "tokens", b.load.Tokens, "most tokens of a reply")
	f.Float64Var(&b.fake.Rate, "rate", b.fake.Rate, "tokens a second of each reply of the fake server")
	f.DurationVar(&b.fake.FirstToken, "first-token", b.fake.FirstToken, "time to the first token of the fake server")
	return c
}

// run measures once and prints the result.
func (b *policyBench) run(ctx context.Context, w *world) (err error) {
	config, err := b.from.Config()
	if err != nil {
		return usagef("policy.%w", err)
	}
	kind, server := probe.Kind(b.kind), config.Server
	server.MaxInFlight, server.Retries = b.load.Streams, -1 // no retries: errors must show
	if b.faked {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		fake, stop, err := b.fake.Start(ctx, self, w.stderr)
		if err != nil {
			return err
		}
		defer stop()
		b.urls, b.from.Model, b.load.Ideal = []string{fake}, "fake", b.fake.Ideal
	} else {
		server.URL = b.urls[0]
		found, err := probe.Run(ctx, server, b.from.Model, "")
		if err != nil {
			return err
		}
		kind, b.from.Model = found.Server, found.Model
	}
	g, err := pool.NewGenerator(pool.Config{URLs: b.urls, Server: server}, func(at remote.Config) (pool.Tokens, error) {
		return probe.Generator(kind, at, b.from.Model)
	})
	if err != nil {
		return usageError{err}
	}
	defer g.CloseIdle()
	var row policyload.Row
	err = run.Together(ctx, g.Run, func(ctx context.Context) (err error) {
		row, err = b.load.Run(ctx, g)
		return err
	})
	if err != nil {
		return err
	}
	return jsonform.WriteLine(w.stdout, struct {
		Server probe.Kind `json:"server"`
		policyload.Row
	}{kind, row})
}
