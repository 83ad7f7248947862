package hub

import (
	"context"
	"fmt"
	"time"
)

// A trade is a lock for which a request waits for a limited time, and which it can lend. Make
// it with newTrade.
type trade struct {
	lock chan struct{} // full while the lock is held
	turn int           // changes when a trainer registers and with a reset
}

func newTrade() *trade { return &trade{lock: make(chan struct{}, 1)} }

// Lock locks t for a change that no client waits for.
func (t *trade) Lock() { t.lock <- struct{}{} }

// Unlock ends Lock.
func (t *trade) Unlock() { <-t.lock }

// patience is how long a request to change batches or registrations waits for the store, and
// for other requests that wait for it.
const patience = 10 * time.Second

// errLate ends a request after its patience.
var errLate = fmt.Errorf("the store has not answered for %s", patience)

// A deal is a change that a client asks for, with the trade locked until end is called. As a
// context, it survives the client, and ends after the patience, the waits for the lock
// included. So a store that does not answer delays no request for longer, however many wait.
type deal struct {
	context.Context //nolint:containedctx // a deal lives as long as its request
	trade           *trade
	held            bool // the trade is locked
	cancel          context.CancelFunc
}

// deal begins a deal. The error is errLate.
func (t *trade) deal(ctx context.Context) (*deal, error) {
	during, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), patience, errLate)
	d := &deal{Context: during, trade: t, cancel: cancel}
	if err := d.lock(); err != nil {
		cancel()
		return nil, err
	}
	return d, nil
}

// lock waits for the trade. The error is errLate.
func (d *deal) lock() error {
	select {
	case d.trade.lock <- struct{}{}:
		d.held = true
		return nil
	case <-d.Done():
		return errLate
	}
}

// end ends the deal.
func (d *deal) end() {
	if d.held {
		d.trade.Unlock()
	}
	d.cancel()
}

// lend unlocks the trade while do runs, because a disk may take long to fail. The error is
// errMoved if the turn has changed meanwhile, and errLate if the trade was not to be had
// again: then the deal is over.
func (d *deal) lend(do func() error) error {
	turn := d.trade.turn
	d.held = false
	d.trade.Unlock()
	err := do()
	if late := d.lock(); late != nil {
		return late
	}
	if turn != d.trade.turn {
		return errMoved
	}
	return err
}
