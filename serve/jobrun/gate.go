package jobrun

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// A Gate is a sandbox with a bounded number of jobs. Cells of sessions count as jobs.
type Gate struct {
	box  sandbox.Sandbox
	most Most

	slots   chan struct{} // full: all jobs are under way
	waiting atomic.Int64
	running atomic.Int64

	closing, cutting context.Context // of all that waits, of all that runs
	closed, cut      context.CancelCauseFunc

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
	g := &Gate{box: box, most: most, slots: make(chan struct{}, most.Jobs), ends: map[sandbox.End]int64{}}
	g.closing, g.closed = context.WithCancelCause(context.Background())
	g.cutting, g.cut = context.WithCancelCause(context.Background())
	return g
}

// Close refuses jobs from now on, also those that wait. Those that run go on.
func (g *Gate) Close() { g.closed(errEnds) }

// Cut also ends those that run.
func (g *Gate) Cut() {
	g.Close()
	g.cut(errEnds)
}

// Probe is that of the sandbox.
func (g *Gate) Probe(ctx context.Context) (sandbox.Strength, error) { return g.box.Probe(ctx) }

// Run runs a job when it is its turn. See [sandbox.Sandbox].
func (g *Gate) Run(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	return g.do(ctx, func(ctx context.Context) (sandbox.Result, error) { return g.box.Run(ctx, job) })
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
	defer cancel(nil)
	defer context.AfterFunc(g.cutting, func() { cancel(errEnds) })()
	result, err := run(ctx)
	if err != nil && g.cutting.Err() != nil {
		err = fmt.Errorf("%w: %w", errEnds, err)
	}
	return result, err
}

// take takes a slot.
func (g *Gate) take(ctx context.Context) error {
	if g.closing.Err() != nil {
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
	case <-g.closing.Done():
		return errEnds
	case <-timer.C:
		return fmt.Errorf("%w: the job had no turn in %v", sandbox.ErrBusy, g.most.Wait)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
