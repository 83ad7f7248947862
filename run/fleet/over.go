package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run"
)

// Times of the end of a run that is over.
const (
	mostFarewell = 30 * time.Second // for workers to hear it
	lookEvery    = 50 * time.Millisecond
)

// farewell says that the run is over, and why.
func farewell(over string) error { return fmt.Errorf("the run is over: %s", over) }

// Around returns serve, which serves the routes, as a part beside a run; see [run.Config]. While it
// runs, workers hold the evaluations, also before and after the run plays. Call it before the run begins. When ctx ends, it goes on
// until the workers have heard that the run is over, if it is. A nil coordinator returns serve itself.
func (c *Coordinator) Around(serve func(context.Context) error) func(context.Context) error {
	if c == nil {
		return serve
	}
	c.mu.Lock()
	c.around = context.Background() // until the part runs: an evaluation may be first
	c.mu.Unlock()
	return func(ctx context.Context) error {
		return run.Together(context.WithoutCancel(ctx), serve, func(failed context.Context) error {
			phases{c}.attend(ctx, failed)
			return nil
		})
	}
}

// attend looks after the workers until ctx ends, and takes leave of them unless the routes failed.
func (c phases) attend(ctx, failed context.Context) {
	c.mu.Lock()
	c.around = ctx
	c.mu.Unlock()
	tick := time.NewTicker(c.config.Settings.Lease / 15)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			c.dismiss(failed)
			return
		case <-failed.Done():
			return
		case now := <-tick.C:
			c.tick(ctx, now, false)
			c.exams.desert()
		}
	}
}

// takeBack takes all groups back, since the run plays no more, and says why it will be over.
func (c phases) takeBack(ctx context.Context, t Table, why string) error {
	var all []*held
	c.mu.Lock()
	c.why = why
	for _, w := range c.workers {
		all = append(all, c.take(w, anyLease)...)
	}
	c.mu.Unlock()
	c.giveBack(t, Returned, all...)
	return t.Keep(ctx)
}

// dismiss tells the workers that the run is over, if it is, and waits until they have heard it. One
// that gives no sign of life for as long as a lease is lost.
func (c phases) dismiss(ctx context.Context) {
	c.mu.Lock()
	c.over = c.why
	c.mu.Unlock()
	if c.over == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, min(mostFarewell, c.config.Settings.Lease))
	defer cancel()
	for c.accompanied() && pause.For(ctx, lookEvery) {
		continue
	}
}

// accompanied reports whether there are workers that do not know yet that the run is over.
func (c phases) accompanied() bool {
	c.expire(time.Now(), false)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.workers {
		if w.Fault == "" && !w.left {
			return true
		}
	}
	return false
}
