// Package trade locks a run's batches and registrations while a request changes them.
package trade

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Trade is a lock for which a request waits for a limited time, and which it can lend. Make
// it with New.
type Trade struct {
	lock chan struct{} // full while the lock is held
	turn int
}

// New returns an unlocked trade.
func New() *Trade { return &Trade{lock: make(chan struct{}, 1)} }

// Lock locks t for a change that no client waits for.
func (t *Trade) Lock() { t.lock <- struct{}{} }

// Unlock ends Lock.
func (t *Trade) Unlock() { <-t.lock }

// Turn says that a trainer registers, or that the run is reset: deals that have lent t have
// moved. The caller holds t.
func (t *Trade) Turn() { t.turn++ }

// Patience is how long a request to change batches or registrations waits for the store, and
// for other requests that wait for it.
const Patience = 10 * time.Second

// errLate ends a request after its patience.
var errLate = fmt.Errorf("the store has not answered for %s", Patience)

// ErrMoved says that the run changed while a deal lent its trade: begin anew.
var ErrMoved = errors.New("the run changed meanwhile")

// A Deal is a change that a client asks for, with the trade locked until End is called. As a
// context, it survives the client, and ends after the patience, the waits for the lock
// included. So a store that does not answer delays no request for longer, however many wait.
type Deal struct {
	context.Context //nolint:containedctx // a deal lives as long as its request
	trade           *Trade
	held            bool // the trade is locked
	cancel          context.CancelFunc
}

// Deal begins a deal. The error says that the store has not answered.
func (t *Trade) Deal(ctx context.Context) (*Deal, error) {
	during, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), Patience, errLate)
	d := &Deal{Context: during, trade: t, cancel: cancel}
	if err := d.lock(); err != nil {
		cancel()
		return nil, err
	}
	return d, nil
}

// lock waits for the trade. The error is errLate.
func (d *Deal) lock() error {
	select {
	case d.trade.lock <- struct{}{}:
		d.held = true
		return nil
	case <-d.Done():
		return errLate
	}
}

// End ends the deal.
func (d *Deal) End() {
	if d.held {
		d.trade.Unlock()
	}
	d.cancel()
}

// Lend unlocks the trade while do runs, because a disk may take long to fail. The error is
// ErrMoved if the turn has changed meanwhile. If the trade was not to be had again, the deal
// is over, and the error says that the store has not answered.
func (d *Deal) Lend(do func() error) error {
	turn := d.trade.turn
	d.held = false
	d.trade.Unlock()
	err := do()
	if late := d.lock(); late != nil {
		return late
	}
	if turn != d.trade.turn {
		return ErrMoved
	}
	return err
}
