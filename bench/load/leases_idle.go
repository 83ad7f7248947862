package main

import (
	"context"
	"errors"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

// Idle is the measurement of workers that only give signs of life and wait for leases, each
// on two connections. They are a process of their own.
type Idle struct {
	Scenario string  `json:"scenario"` // idle
	Store    string  `json:"store"`
	Workers  int     `json:"workers"`
	Seconds  float64 `json:"seconds"`
	Beats    int64   `json:"beats"`
	Polls    int64   `json:"polls"`
	CPU      float64 `json:"cpu_ms_per_worker_s,omitempty"` // of the coordinator, for a worker in a second
}

// idle measures idle workers of a run that lets one group begin.
func (l *LeaseLoad) idle(ctx context.Context) (row *Idle, err error) {
	s, err := l.open(ctx, gate(l.Size, 1, 0))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	come := make(chan struct{})
	row = &Idle{Scenario: "idle", Store: l.Store.name(), Workers: l.Workers}
	return row, s.while(
		func(ctx context.Context) error { return l.apart(ctx, s.addr, func() { close(come) }) },
		func(ctx context.Context) error {
			select {
			case <-come:
				l.watch(ctx, s, row)
			case <-ctx.Done():
			}
			return nil
		})
}

// watch measures for the time of the load.
func (l *LeaseLoad) watch(ctx context.Context, s *site, row *Idle) {
	start, cpu, beats, polls := time.Now(), cpuTime(), s.beats.Load(), s.polls.Load()
	pause.For(ctx, l.Time)
	row.Seconds = time.Since(start).Seconds()
	row.Beats, row.Polls = s.beats.Load()-beats, s.polls.Load()-polls
	row.CPU = 1000 * (cpuTime() - cpu).Seconds() / row.Seconds / float64(row.Workers)
}
