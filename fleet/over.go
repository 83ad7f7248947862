package fleet

import (
	"context"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/fleet/roster"
	"github.com/quintain-rl/quintain/internal/pause"
)

// Times of the end of a run that is over.
const (
	mostFarewell = 30 * time.Second // for workers to hear it
	lookEvery    = 50 * time.Millisecond
)

// farewell says that the run is over, and why.
func farewell(over string) error { return fmt.Errorf("the run is over: %s", over) }

// dismiss takes all leases back, and waits until the workers have heard that the run is over. One
// that gives no sign of life for as long as a lease is lost.
func (c *Coordinator) dismiss(ctx context.Context, t Table) error {
	var all []*held
	c.mu.Lock()
	for _, w := range c.workers {
		all = append(all, c.take(w)...)
	}
	c.mu.Unlock()
	c.giveBack(t, roster.Returned, all...)
	if err := t.Keep(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, min(mostFarewell, c.config.Settings.Lease))
	defer cancel()
	for c.accompanied() && pause.For(ctx, lookEvery) {
		continue
	}
	return nil
}

// accompanied reports whether there are workers that do not know yet that the run is over.
func (c *Coordinator) accompanied() bool {
	c.expire(time.Now())
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.workers {
		if w.Fault == "" && !w.left {
			return true
		}
	}
	return false
}
