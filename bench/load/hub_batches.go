package main

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Batches is the measurement of batch and backlog.
type Batches struct {
	Scenario    string     `json:"scenario"`
	Groups      int        `json:"groups"`
	Taken       int        `json:"taken"` // groups
	FillPerS    float64    `json:"fill_groups_per_s"`
	GroupsPerS  float64    `json:"groups_per_s"`
	MBPerS      float64    `json:"mb_per_s"` // of the replies on the wire, during their transfer
	FirstMS     float64    `json:"first_ms"`
	LastQuarter float64    `json:"last_quarter_groups_per_s"`
	Latency     HubLatency `json:"latency"`
	Info        HubLatency `json:"info"` // of concurrent GET /info
}

// fillAndTake posts groups, per in a request, and takes them in batches.
func (b *hubSession) fillAndTake(ctx context.Context, scenario string, per int) (*Batches, error) {
	bodies, _, err := bodiesOf(b.load, per)
	if err != nil {
		return nil, err
	}
	path, kind := b.target(per)
	requests := (b.load.Groups + per - 1) / per
	var next atomic.Int64
	start := time.Now()
	err = b.each(ctx, b.load.Connections, func(ctx context.Context, _ int, c *hubConn) error {
		for i := next.Add(1); ctx.Err() == nil && int(i) <= requests; i = next.Add(1) {
			body := bodies[int(i)%len(bodies)]
			if _, err := c.do(c.head("POST", path, kind, len(body)), body); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	row := &Batches{Scenario: scenario, Groups: requests * per}
	row.FillPerS = float64(row.Groups) / time.Since(start).Seconds()
	return row, b.take(ctx, row)
}

// take takes batches until there is none, while another client asks for /info.
func (b *hubSession) take(parent context.Context, row *Batches) error {
	ctx, stop := context.WithCancel(parent)
	defer stop()
	var info, spans watchHub
	var asking sync.WaitGroup
	var infoErr error
	asking.Go(func() {
		infoErr = b.each(ctx, 1, func(ctx context.Context, _ int, c *hubConn) error {
			tick := time.NewTicker(2 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return nil
				case <-tick.C:
				}
				start := time.Now()
				if _, err := c.ask("GET", "/info", ""); err != nil {
					return err
				}
				info.note(time.Since(start))
			}
		})
	})
	err := b.takeAll(parent, row, &spans)
	stop()
	asking.Wait()
	row.Latency, row.Info = spans.latency(), info.latency()
	return errors.Join(err, infoErr)
}

// takeAll takes batches until there is none.
func (b *hubSession) takeAll(ctx context.Context, row *Batches, spans *watchHub) error {
	c, err := dialHub(ctx, b.load.URL) // the hub may have closed the first, idle connection
	if err != nil {
		return err
	}
	defer c.Close()
	c.gzip = b.load.Gzip
	size, wait := 0, time.Duration(0)
	per := b.load.Batch / b.load.Sequences
	begin := time.Now()
	var late time.Time // when the last quarter began
	for {
		start := time.Now()
		text, err := c.ask("GET", "/batch", "")
		if err != nil {
			return err
		}
		if bytes.Equal(text, []byte(`{"batch":null}`)) {
			break
		}
		took := time.Since(start)
		if row.Taken == 0 {
			row.FirstMS = float64(took.Microseconds()) / 1000
		}
		if row.Taken += per; late.IsZero() && row.Taken >= row.Groups*3/4 {
			late = time.Now()
			row.LastQuarter = -float64(row.Taken)
		}
		spans.note(took)
		size += len(text)
		wait += took
	}
	row.GroupsPerS = float64(row.Taken) / time.Since(begin).Seconds()
	row.MBPerS = float64(size) / 1e6 / max(1e-9, wait.Seconds())
	row.LastQuarter = (row.LastQuarter + float64(row.Taken)) / max(1e-9, time.Since(late).Seconds())
	return nil
}
