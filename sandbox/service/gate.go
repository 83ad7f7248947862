package service

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/sandbox"
)

// A Gate is a sandbox with a bounded number of jobs, cells of sessions among them.
type Gate struct {
	box  sandbox.Sandbox
	most Most

	slots   chan struct{} // full: all jobs are under way
	waiting atomic.Int64
	running atomic.Int64

	closing, cutting chan struct{} // closed: what waits ends; what runs, too
	closed, cut      func()        // close them

	mu   sync.Mutex
	ends map[sandbox.End]int64 // jobs by their end
}

// Most bounds a gate. Zero fields have no use.
type Most struct {
	Jobs    int           // at the same time
	Waiting int           // for a turn
	Wait    time.Duration // for a turn
}

var errEnds = fmt.Errorf("%w: it ends", sandbox.ErrBusy)

// NewGate returns a gate before a sandbox. The caller must Cut it.
func NewGate(box sandbox.Sandbox, most Most) *Gate {
	g := &Gate{
		box: box, most: most, slots: make(chan struct{}, most.Jobs), ends: map[sandbox.End]int64{},
		closing: make(chan struct{}), cutting: make(chan struct{}),
	}
	g.closed = sync.OnceFunc(func() { close(g.closing) })
	g.cut = sync.OnceFunc(func() { close(g.cutting) })
	return g
}

// Close refuses jobs from now on, also those that wait. Those that run go on.
func (g *Gate) Close() { g.closed() }

// Cut also ends those that run.
func (g *Gate) Cut() {
	g.Close()
	g.cut()
}

// Probe is that of the sandbox.
func (g *Gate) Probe(ctx context.Context) (sandbox.Strength, error) { return g.box.Probe(ctx) }

// Run runs a job when it is its turn. See [sandbox.Sandbox].
func (g *Gate) Run(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	return g.do(ctx, func(ctx context.Context) (sandbox.Result, error) { return g.box.Run(ctx, job) })
}

// Open opens a session, whose cells run when it is their turn. See [sandbox.Opener].
func (g *Gate) Open(ctx context.Context, spec sandbox.Spec) (sandbox.Session, error) {
	opener, ok := g.box.(sandbox.Opener)
	if !ok {
		return nil, errNoSessions
	}
	if pause.Closed(g.closing) {
		return nil, errEnds
	}
	inner, err := opener.Open(ctx, spec)
	if err != nil {
		return nil, err
	}
	return gated{g, inner}, nil
}

var errNoSessions = errors.New("the sandbox of this machine has no sessions")

// A gated session has turns.
type gated struct {
	gate *Gate
	sandbox.Session
}

// Run runs a cell when it is its turn.
func (s gated) Run(ctx context.Context, cell string, limits sandbox.Limits) (sandbox.Result, error) {
	return s.gate.do(ctx, func(ctx context.Context) (sandbox.Result, error) { return s.Session.Run(ctx, cell, limits) })
}

// do runs something when it is its turn.
func (g *Gate) do(ctx context.Context, run func(context.Context) (sandbox.Result, error)) (sandbox.Result, error) {
	result, err := g.turn(ctx, run)
	g.mu.Lock()
	defer g.mu.Unlock()
	if err == nil {
		g.ends[result.End]++
	}
	return result, err
}

// turn waits for a turn, and runs something.
func (g *Gate) turn(ctx context.Context, run func(context.Context) (sandbox.Result, error)) (none sandbox.Result, err error) {
	if err := g.take(ctx); err != nil {
		return none, err
	}
	defer func() { <-g.slots }()
	g.running.Add(1)
	defer g.running.Add(-1)
	ctx, cancel := context.WithCancelCause(ctx)
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-g.cutting:
			cancel(errEnds)
		case <-ctx.Done():
		}
	})
	result, err := run(ctx)
	cancel(nil)
	watch.Wait()
	if err != nil && pause.Closed(g.cutting) {
		err = fmt.Errorf("%w: %w", errEnds, err)
	}
	return result, err
}

// take takes a slot.
func (g *Gate) take(ctx context.Context) error {
	if pause.Closed(g.closing) {
		return errEnds
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	defer g.waiting.Add(-1)
	if n := g.waiting.Add(1); n > int64(g.most.Waiting) {
		return fmt.Errorf("%w: %d jobs wait already", sandbox.ErrBusy, g.most.Waiting)
	}
	timer := time.NewTimer(g.most.Wait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-g.closing:
		return errEnds
	case <-timer.C:
		return fmt.Errorf("%w: the job had no turn in %v", sandbox.ErrBusy, g.most.Wait)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
