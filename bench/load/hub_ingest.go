package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Ingest is the measurement of ingest and polls.
type Ingest struct {
	Scenario    string     `json:"scenario"`
	Form        string     `json:"form"`
	Connections int        `json:"connections"`
	Groups      int64      `json:"groups"` // posted, including those before the clock started
	GroupsPerS  float64    `json:"groups_per_s"`
	JSONMBPerS  float64    `json:"json_mb_per_s"` // of the groups as JSON, in any form
	WireKB      float64    `json:"wire_kb_per_group"`
	Latency     HubLatency `json:"latency"`
	Polls       HubLatency `json:"polls,omitzero"`         // of GET /status-env
	Environs    int        `json:"environments,omitempty"` // polling
}

// post posts groups on all connections for a while, and at least one measured group.
func (b *hubSession) post(ctx context.Context) (*Ingest, error) {
	bodies, plain, err := bodiesOf(b.load, 1)
	if err != nil {
		return nil, err
	}
	path, kind := b.target(1)
	var spans watchHub
	var sent, all atomic.Int64
	warm := time.Now().Add(b.load.Time / 5)
	end := warm.Add(b.load.Time)
	err = b.each(ctx, b.load.Connections, func(ctx context.Context, k int, c *hubConn) error {
		for i := k; ctx.Err() == nil && (time.Now().Before(end) || sent.Load() == 0); i++ {
			body := bodies[i%len(bodies)]
			start := time.Now()
			if _, err := c.do(c.head("POST", path, kind, len(body)), body); err != nil {
				return err
			}
			if all.Add(1); start.After(warm) {
				spans.note(time.Since(start))
				sent.Add(1)
			}
		}
		return nil
	})
	rate := float64(sent.Load()) / time.Since(warm).Seconds()
	return &Ingest{
		Scenario: "ingest", Form: b.load.Form, Connections: b.load.Connections, Groups: all.Load(),
		GroupsPerS: rate, JSONMBPerS: rate * float64(plain) / 1e6, WireKB: float64(len(bodies[0])) / 1e3, Latency: spans.latency(),
	}, err
}

// pollers is the number of connections that all environments share for their polls.
const pollers = 100

// polls posts groups while many environments ask for their status.
func (b *hubSession) polls(parent context.Context) (*Ingest, error) {
	for range b.load.Environments - 1 {
		if err := b.register(); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(parent)
	defer stop()
	var spans watchHub
	var polling sync.WaitGroup
	var pollErr error
	polling.Go(func() {
		pollErr = b.each(ctx, pollers, func(ctx context.Context, k int, c *hubConn) error {
			tick := time.NewTicker(100 * time.Millisecond * pollers / time.Duration(b.load.Environments))
			defer tick.Stop()
			for env := k; ; env = (env + pollers) % b.load.Environments {
				select {
				case <-ctx.Done():
					return nil
				case <-tick.C:
				}
				start := time.Now()
				if _, err := c.ask("GET", "/status-env", fmt.Sprintf(`{"env_id":%d}`, env)); err != nil {
					return err
				}
				spans.note(time.Since(start))
			}
		})
	})
	row, err := b.post(parent)
	stop()
	polling.Wait()
	if err := errors.Join(err, pollErr); err != nil {
		return nil, err
	}
	row.Scenario, row.Polls, row.Environs = "polls", spans.latency(), b.load.Environments
	return row, nil
}
