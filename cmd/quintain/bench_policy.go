package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
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

// benchedPolicy is what bench policy measures.
type benchedPolicy struct {
	load policyload.Load
	urls []string
	from openai.Settings
	kind string

	fake       bool
	rate       float64 // of the fake server
	firstToken time.Duration
}

func newBenchPolicy(w *world) *cobra.Command {
	b := benchedPolicy{
		load: policyload.Load{Streams: 1000, Rounds: 3, Ramp: 5 * time.Second, Prompt: 256, Tokens: 128},
		from: openai.Settings{Timeout: time.Hour}, kind: string(probe.VLLM), rate: 20, firstToken: 20 * time.Millisecond,
	}
	c := &cobra.Command{
		Use:   "policy",
		Short: "Measure how many streams of tokens one process can read",
		Long: `Bench policy asks an inference server for many replies at once, by tokens, and prints
what it measured as one line of JSON. With --fake it starts quintain fake-server as
a second process, whose replies take a known time: what they took beyond that is
the latency that client, network and fake server add together.`,
		Example: `  quintain bench policy --fake --streams 10000
  quintain bench policy --url http://127.0.0.1:8001 --model my-model --streams 256
  quintain bench policy --url http://gpu1:8001 --url http://gpu2:8001 --streams 512`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := b.load.Check(); err != nil {
				return usagef("--%w", err)
			}
			if b.fake == (len(b.urls) > 0) {
				return usagef("want either --fake or the --url of a server")
			}
			return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error { return b.run(ctx, w) })
		},
	}
	f := c.Flags()
	f.BoolVar(&b.fake, "fake", false, "measure against quintain fake-server in a process of its own")
	f.StringSliceVar(&b.urls, "url", nil, "address of the server, with or without /v1; or of several servers of one model")
	f.StringVar(&b.from.Model, "model", "", "name of the model; empty: the server's first")
	f.StringVar(&b.from.KeyFile, "policy-key-file", "", "file with the API key")
	f.StringVar(&b.kind, "server", b.kind, "how the fake server is spoken to: vllm, sglang or llamacpp; others are recognised")
	f.IntVar(&b.load.Streams, "streams", b.load.Streams, "replies at once")
	f.IntVar(&b.load.Rounds, "rounds", b.load.Rounds, "replies of each stream, one after another")
	f.DurationVar(&b.load.Ramp, "ramp", b.load.Ramp, "over which the streams begin")
	f.IntVar(&b.load.Prompt, "prompt", b.load.Prompt, "tokens of a prompt")
	f.IntVar(&b.load.Tokens, "tokens", b.load.Tokens, "tokens of a reply at most")
	f.Float64Var(&b.rate, "rate", b.rate, "tokens a second of each reply of the fake server")
	f.DurationVar(&b.firstToken, "first-token", b.firstToken, "to the first token of a reply of the fake server")
	return c
}

// run measures once.
func (b *benchedPolicy) run(ctx context.Context, w *world) (err error) {
	config, err := b.from.Config()
	if err != nil {
		return usagef("policy.%w", err)
	}
	kind, server := probe.Kind(b.kind), config.Server
	server.MaxInFlight, server.Retries = b.load.Streams, -1 // an error is to be seen
	if b.fake {
		fake, stop, err := b.serve(ctx, w)
		if err != nil {
			return err
		}
		defer stop()
		b.urls, b.from.Model = []string{fake}, "fake"
		b.load.Ideal = func(n int) time.Duration {
			return b.firstToken + time.Duration(float64(n-1)/b.rate*float64(time.Second))
		}
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
	text, err := jsonform.Marshal(struct {
		Server probe.Kind `json:"server"`
		policyload.Row
	}{kind, row})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w.stdout, "%s\n", text)
	return err
}

// serve starts the fake server, and returns its address and what stops it.
func (b *benchedPolicy) serve(ctx context.Context, w *world) (url string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	child := exec.CommandContext(ctx, self, "fake-server", "--port", "0", "--length", "fixed:1000000", "--context", "2000000",
		"--rate", fmt.Sprint(b.rate), "--first-token", b.firstToken.String())
	child.Env = append(os.Environ(), "GOGC=off", "GOMEMLIMIT=2GiB") // its garbage is not what is measured
	child.Cancel = func() error { return child.Process.Signal(os.Interrupt) }
	said, err := child.StderrPipe()
	if err != nil {
		return "", nil, err
	}
	if err := child.Start(); err != nil {
		return "", nil, err
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	_, after, found := strings.Cut(line, "listening on ")
	url, _, _ = strings.Cut(after, ",")
	stop = func() {
		_ = child.Process.Signal(os.Interrupt)
		_, _ = io.Copy(w.stderr, said)
		_ = child.Wait() // how it ends says nothing of what was measured
	}
	if err != nil || !found {
		stop()
		return "", nil, errors.Join(fmt.Errorf("quintain fake-server says %q", line), err)
	}
	return url, stop, nil
}
