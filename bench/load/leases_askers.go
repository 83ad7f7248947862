package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run/fleet"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Leases is the measurement of workers that take and finish leases. Times of the processor
// are those of the whole process, with the workers in it.
type Leases struct {
	Scenario string       `json:"scenario"` // leases
	Store    string       `json:"store"`
	Askers   int          `json:"askers"`
	Most     int          `json:"most"`
	Open     int          `json:"open"` // leases of others
	Body     float64      `json:"finish_kb"`
	Kept     bool         `json:"kept"`   // the run keeps the groups
	Leases   int64        `json:"leases"` // finished
	PerS     float64      `json:"leases_per_s"`
	CPU      float64      `json:"cpu_ms_per_lease,omitempty"`
	Ask      LeaseLatency `json:"ask"`
	Finish   LeaseLatency `json:"finish"`
}

// mostHeld is how many leases a holder of open leases has.
const mostHeld = 1000

// wide is a gate that does not close: batches of 256 groups, and a bound on staleness that no
// measurement reaches.
func (l *LeaseLoad) wide() (groups, lag int) { return 256, 1 << 17 / l.Size }

// An asking is the work of the askers.
type asking struct {
	load     *LeaseLoad
	site     *site
	episodes []quintain.Trajectory // of each finish
	held     chan struct{}         // closed when others hold their leases
	clock    atomic.Bool           // the measurement runs
	finished atomic.Int64

	mu           sync.Mutex
	asks, closes span
}

// askers measures n workers that take and finish leases.
func (l *LeaseLoad) askers(ctx context.Context, n int) (row *Leases, err error) {
	groups, lag := l.wide()
	s, err := l.open(ctx, gate(l.Size, groups, lag))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	a := &asking{load: l, site: s, held: make(chan struct{}), episodes: l.played()}
	body, err := fleet.AppendFrame(nil, &fleet.Finish{Episodes: a.episodes})
	if err != nil {
		return nil, err
	}
	row = &Leases{Scenario: "leases", Store: l.Store.name(), Askers: n, Most: l.Most, Open: l.Open, Kept: !l.Equal, Body: float64(len(body)) / 1e3}
	parts := []func(context.Context) error{a.holdOpen, func(ctx context.Context) error { return a.measure(ctx, row) }}
	for k := range n {
		parts = append(parts, func(ctx context.Context) error { return a.ask(ctx, k) })
	}
	return row, s.while(parts...)
}

// measureLeases measures for the time of the load, after a fifth of it.
func (a *asking) measure(ctx context.Context, row *Leases) error {
	select {
	case <-a.held:
	case <-ctx.Done():
		return nil
	}
	pause.For(ctx, a.load.Time/5)
	a.clock.Store(true)
	start, cpu, before := time.Now(), cpuTime(), a.finished.Load()
	pause.For(ctx, a.load.Time)
	a.clock.Store(false)
	row.Leases = a.finished.Load() - before
	row.PerS = float64(row.Leases) / time.Since(start).Seconds()
	row.CPU = 1000 * (cpuTime() - cpu).Seconds() / float64(max(1, row.Leases))
	a.mu.Lock()
	defer a.mu.Unlock()
	row.Ask, row.Finish = a.asks.latency(), a.closes.latency()
	return nil
}

// holdOpen takes the leases that stay open, and gives their holders' signs of life until ctx
// ends.
func (a *asking) holdOpen(ctx context.Context) error {
	c, err := dialLeases(ctx, a.site.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	var holders [][]uint64
	for left := a.load.Open; left > 0; {
		n := len(holders)
		if err := c.register(ctx, 1_000_000+n); err != nil {
			return err
		}
		g, err := c.take(1_000_000+n, min(mostHeld, left), time.Minute)
		if err != nil {
			return err
		}
		holders = append(holders, numbersOf(g))
		left -= len(g.Leases)
	}
	for close(a.held); pause.For(ctx, a.load.Beat); {
		for k, leases := range holders {
			if err := c.beat(1_000_000+k, leases); err != nil {
				return err
			}
		}
	}
	return nil
}

func numbersOf(g fleet.Grant) (all []uint64) {
	for _, l := range g.Leases {
		all = append(all, l.Number)
	}
	return all
}

// note notes how long a request took, if the measurement runs.
func (a *asking) note(of *span, start time.Time) {
	if a.clock.Load() {
		a.mu.Lock()
		defer a.mu.Unlock()
		*of = append(*of, time.Since(start))
	}
}

// ask takes and finishes leases as worker k until ctx ends.
func (a *asking) ask(ctx context.Context, k int) error {
	c, err := dialLeases(ctx, a.site.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.register(ctx, k); err != nil {
		return err
	}
	body, err := fleet.AppendFrame(nil, &fleet.Finish{Instance: instance(k), Episodes: a.episodes})
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		start := time.Now()
		g, err := c.take(k, a.load.Most, time.Minute)
		if err != nil {
			return err
		}
		a.note(&a.asks, start)
		for _, l := range g.Leases {
			if err := a.finish(c, l.Number, body); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish closes a lease.
func (a *asking) finish(c *leaseConn, number uint64, body []byte) error {
	var v fleet.Verdict
	start := time.Now()
	err := c.must(http.MethodPost, strings.Replace(fleet.PathFinish, "{number}", strconv.FormatUint(number, 10), 1), body, &v)
	var want rollout.Drop
	if a.load.Equal {
		want = rollout.DropEqual
	}
	if err == nil && v.Drop != want {
		err = fmt.Errorf("lease %d: the group is dropped as %q, want %q", number, v.Drop, want)
	}
	if err == nil {
		a.note(&a.closes, start)
		a.finished.Add(1)
	}
	return err
}

// played are episodes as a worker sends them. Half of them are right, unless scores are equal.
func (l *LeaseLoad) played() (all []quintain.Trajectory) {
	tokens := l.Tokens
	for i := range l.Size {
		turn := quintain.Turn{
			Observed: []quintain.Message{{Role: quintain.RoleUser, Content: strings.Repeat("How much is 4 + 3? ", 5)}},
			Reply:    strings.Repeat("word", tokens), Finish: quintain.Stop,
		}
		if i%2 == 1 && !l.Equal {
			turn.Reward, turn.Right = 1, true
		}
		for k := range tokens {
			turn.Read = append(turn.Read, quintain.Token(1000+7*k))
			turn.Wrote = append(turn.Wrote, quintain.Token(100+(7919*(k+i))%50_000))
			turn.LogProbs = append(turn.LogProbs, -float32((k*k+i)%97)/13)
			turn.Versions = append(turn.Versions, 0)
		}
		all = append(all, quintain.Trajectory{
			ID: fmt.Sprint("bench#", i), Turns: []quintain.Turn{turn}, Vocabulary: "bench", End: quintain.Terminated, Outcome: quintain.Scored,
			Started: time.Unix(1_800_000_000, 0).UTC(), Took: time.Second,
		})
	}
	return all
}
