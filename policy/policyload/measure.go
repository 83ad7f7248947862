package policyload

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/pool"
	"github.com/quintain-rl/quintain/policy/probe"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A Measurement loads the servers at some addresses, or a fake one.
type Measurement struct {
	Load Load
	URLs []string        // of servers of one model; none: the fake server
	From openai.Settings // their model, the first one's if empty, and their key
	Kind probe.Kind      // of the fake server; others are recognised
	Fake Fake
}

// A Result is a row with the kind of the servers.
type Result struct {
	Server probe.Kind `json:"server"`
	Row
}

// Run measures once. A fake server is a second process of this program, whose messages go to
// said.
func (m Measurement) Run(ctx context.Context, said io.Writer) (r Result, err error) {
	config, err := m.From.Config()
	if err != nil {
		return r, fmt.Errorf("policy.%w", err)
	}
	server := config.Server
	server.MaxInFlight, server.Retries = m.Load.Streams, -1 // no retries: errors must show
	if len(m.URLs) == 0 {
		self, err := os.Executable()
		if err != nil {
			return r, err
		}
		url, stop, err := m.Fake.Start(ctx, self, said)
		if err != nil {
			return r, err
		}
		defer stop()
		m.URLs, m.From.Model, m.Load.Ideal = []string{url}, "fake", m.Fake.Ideal
	} else {
		server.URL = m.URLs[0]
		found, err := probe.Run(ctx, server, m.From.Model, "")
		if err != nil {
			return r, err
		}
		m.Kind, m.From.Model = found.Server, found.Model
	}
	g, err := pool.NewGenerator(pool.Config{URLs: m.URLs, Server: server}, func(at remote.Config) (pool.Tokens, error) {
		return probe.Generator(m.Kind, at, m.From.Model)
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
	r.Row, err = m.Load.Run(ctx, g)
	return r, err
}
