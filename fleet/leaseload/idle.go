package leaseload

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run"
)

// longPoll is the wait of an idle worker for a lease.
const longPoll = 30 * time.Second

// Idle is the measurement of workers that only give signs of life and wait for leases, each
// on two connections. Times of the processor are those of the whole process, with the workers
// in it.
type Idle struct {
	Scenario string  `json:"scenario"` // idle
	Store    string  `json:"store"`
	Workers  int     `json:"workers"`
	Seconds  float64 `json:"seconds"`
	Beats    int64   `json:"beats"`
	Polls    int64   `json:"polls"`
	CPU      float64 `json:"cpu_ms_per_worker_s,omitempty"` // of a worker in a second
}

// waiting is the work of idle workers.
type waiting struct {
	load         *Load
	site         *site
	come         atomic.Int64 // workers that wait
	all          chan struct{}
	beats, polls atomic.Int64
}

// idle measures idle workers of a run that lets one group begin.
func (l *Load) idle(ctx context.Context) (row *Idle, err error) {
	s, err := l.open(ctx, gate(l.Size, 1, 0))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	w := &waiting{load: l, site: s, all: make(chan struct{})}
	row = &Idle{Scenario: "idle", Store: l.Store.name(), Workers: l.Workers}
	parts := []func(context.Context) error{func(ctx context.Context) error { return w.measure(ctx, row) }}
	for k := range l.Workers {
		parts = append(parts, func(ctx context.Context) error { return w.wait(ctx, k) })
	}
	return row, s.while(parts...)
}

// measure measures for the time of the load, once all have come.
func (w *waiting) measure(ctx context.Context, row *Idle) error {
	select {
	case <-w.all:
	case <-ctx.Done():
		return nil
	}
	start, cpu, beats, polls := time.Now(), cpuTime(), w.beats.Load(), w.polls.Load()
	pause.For(ctx, w.load.Time)
	row.Seconds = time.Since(start).Seconds()
	row.Beats, row.Polls = w.beats.Load()-beats, w.polls.Load()-polls
	row.CPU = 1000 * (cpuTime() - cpu).Seconds() / row.Seconds / float64(row.Workers)
	return nil
}

// wait is worker k. They come evenly within the time between two signs of life.
func (w *waiting) wait(ctx context.Context, k int) error {
	if !pause.For(ctx, w.load.Beat*time.Duration(k)/time.Duration(w.load.Workers)) {
		return nil
	}
	c, err := dial(ctx, w.site.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.register(ctx, k); err != nil {
		return err
	}
	if w.come.Add(1) == int64(w.load.Workers) {
		close(w.all)
	}
	held := make(chan []uint64, 1)
	return run.Together(ctx, func(ctx context.Context) error { return w.beat(ctx, c, k, held) }, func(ctx context.Context) error { return w.poll(ctx, k, held) })
}

// beat gives signs of life until ctx ends.
func (w *waiting) beat(ctx context.Context, c *conn, k int, held <-chan []uint64) error {
	var leases []uint64
	for pause.For(ctx, w.load.Beat) {
		select {
		case leases = <-held:
		default:
		}
		if err := c.beat(k, leases); err != nil {
			return err
		}
		w.beats.Add(1)
	}
	return nil
}

// poll asks for leases until ctx ends. The one that is granted stays open.
func (w *waiting) poll(ctx context.Context, k int, held chan<- []uint64) error {
	c, err := dial(ctx, w.site.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	for ctx.Err() == nil {
		g, err := c.take(k, 5, longPoll)
		if err != nil {
			return err
		}
		if w.polls.Add(1); len(g.Leases) > 0 {
			held <- numbersOf(g)
		}
	}
	return nil
}
