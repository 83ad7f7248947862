package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A Measurement loads the servers at some addresses, or a fake one.
type Measurement struct {
	Load StreamLoad
	URLs []string               // of servers of one model; none: the fake server
	From engines.OpenAISettings // their model, the first one's if empty, and their key
	Kind engines.Kind           // of the fake server; others are recognised
	Fake Fake
}

// DefaultStreams returns the measurement of the figures in docs/benchmarks.md.
func DefaultStreams() Measurement {
	return Measurement{
		Load: StreamLoad{Streams: 1000, Rounds: 3, Ramp: 5 * time.Second, Prompt: 256, Tokens: 128},
		From: engines.OpenAISettings{Timeout: time.Hour}, Kind: engines.KindVLLM, Fake: Fake{Rate: 20, FirstToken: 20 * time.Millisecond},
	}
}

// Flags returns flags that set the measurement.
func (m *Measurement) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("policy", flag.ExitOnError)
	f.StringVar(&m.Fake.Program, "fake", "", "measure policy fake of this quintain in a second process, such as bin/quintain")
	f.Func("url", "address of the server, with or without /v1; or of several servers of one model, separated by commas", func(text string) error {
		m.URLs = append(m.URLs, strings.Split(text, ",")...)
		return nil
	})
	f.StringVar(&m.From.Model, "model", "", "name of the model; empty: the server's first")
	f.StringVar(&m.From.KeyFile, "policy-key-file", "", "file with the API key")
	f.StringVar((*string)(&m.Kind), "server", string(m.Kind), "protocol of the fake server: vllm, sglang or llamacpp; other servers are recognised")
	f.IntVar(&m.Load.Streams, "streams", m.Load.Streams, "replies at once")
	f.IntVar(&m.Load.Rounds, "rounds", m.Load.Rounds, "replies of each stream, one after another")
	f.DurationVar(&m.Load.Ramp, "ramp", m.Load.Ramp, "time over which the streams begin")
	f.IntVar(&m.Load.Prompt, "prompt", m.Load.Prompt, "tokens of a prompt")
	f.IntVar(&m.Load.Tokens, "tokens", m.Load.Tokens, "most tokens of a reply")
	f.Float64Var(&m.Fake.Rate, "rate", m.Fake.Rate, "tokens a second of each reply of the fake server")
	f.DurationVar(&m.Fake.FirstToken, "first-token", m.Fake.FirstToken, "time to the first token of the fake server")
	return f
}

// Check reports the first invalid field, by the name of its flag.
func (m *Measurement) Check() error {
	if (m.Fake.Program != "") == (len(m.URLs) > 0) {
		return errors.New("want either -fake PROGRAM or the -url of a server")
	}
	return m.Load.Check()
}

// A Result is a row with the kind of the servers.
type Result struct {
	Server engines.Kind `json:"server"`
	StreamRow
}

// Run measures once. The messages of a fake server go to said.
func (m Measurement) Run(ctx context.Context, said io.Writer) (r Result, err error) {
	config, err := m.From.Config()
	if err != nil {
		return r, fmt.Errorf("policy.%w", err)
	}
	server := config.Server
	server.MaxInFlight, server.Retries = m.Load.Streams, -1 // no retries: errors must show
	if len(m.URLs) == 0 {
		url, stop, err := m.Fake.Start(ctx, said)
		if err != nil {
			return r, err
		}
		defer stop()
		m.URLs, m.From.Model, m.Load.Ideal = []string{url}, "fake", m.Fake.Ideal
	} else {
		server.URL = m.URLs[0]
		found, err := engines.Probe(ctx, server, m.From.Model, "")
		if err != nil {
			return r, err
		}
		m.Kind, m.From.Model = found.Server, found.Model
	}
	g, err := pool.NewGenerator(pool.Config{URLs: m.URLs, Server: server}, func(at remote.Config) (pool.Tokens, error) {
		return engines.Generator(m.Kind, at, m.From.Model)
	})
	if err != nil {
		return r, err
	}
	defer g.CloseIdle()
	following, stop := context.WithCancel(ctx)
	var pooled sync.WaitGroup
	pooled.Go(func() { _ = g.Run(following) }) // it returns nil
	defer pooled.Wait()
	defer stop()
	r.Server = m.Kind
	r.StreamRow, err = m.Load.Run(ctx, g)
	return r, err
}

// measurePolicy asks an inference server for many replies at once, by tokens, and prints the
// measurement as one line of JSON. With -fake it starts quintain policy fake as a second process,
// with replies of a known duration: any time beyond that is the latency that client, network and
// fake server add together.
//
//	go run ./bench/load policy -fake bin/quintain -streams 10000
//	go run ./bench/load policy -url http://127.0.0.1:8001 -model my-model -streams 256
//	go run ./bench/load policy -url http://gpu1:8001,http://gpu2:8001 -streams 512
func measurePolicy(ctx context.Context, args []string) error {
	m := DefaultStreams()
	_ = m.Flags().Parse(args) // it ends the program
	if err := m.Check(); err != nil {
		return err
	}
	row, err := m.Run(ctx, os.Stderr)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(row)
}
