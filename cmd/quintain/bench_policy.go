package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/policyload"
	"github.com/quintain-rl/quintain/policy/probe"
)

func newBenchPolicy(w *world) *cobra.Command {
	m := policyload.Measurement{
		Load: policyload.Load{Streams: 1000, Rounds: 3, Ramp: 5 * time.Second, Prompt: 256, Tokens: 128},
		From: openai.Settings{Timeout: time.Hour}, Kind: probe.VLLM, Fake: policyload.Fake{Rate: 20, FirstToken: 20 * time.Millisecond},
	}
	faked, kind := false, string(m.Kind)
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
			if err := m.Load.Check(); err != nil {
				return usagef("--%w", err)
			}
			if faked == (len(m.URLs) > 0) {
				return usagef("want either --fake or the --url of a server")
			}
			m.Kind = probe.Kind(kind)
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
				result, err := m.Run(ctx, w.stderr)
				if err != nil {
					return err
				}
				return jsonform.WriteLine(w.stdout, result)
			})
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
