package hub

import (
	"context"
	"fmt"
	"time"
)

// A lock is a mutex for which a goroutine can wait with a deadline. Its capacity is 1.
type lock chan struct{}

func (l lock) Lock()   { l <- struct{}{} }
func (l lock) Unlock() { <-l }

// patience is how long a request to change batches or registrations waits for the store, and
// for other requests that wait for it.
const patience = 10 * time.Second

// errLate ends a request after its patience.
var errLate = fmt.Errorf("the store has not answered for %s", patience)

// deal locks l for a change that a client asks for, until end is called. The returned
// context survives the client, and ends after the patience, the wait for the lock included. So
// a store that does not answer delays no request for longer, however many wait. The error is
// errLate.
func (l lock) deal(ctx context.Context) (during context.Context, end func(), err error) {
	during, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), patience, errLate)
	select {
	case l <- struct{}{}:
		return during, func() {
			l.Unlock()
			cancel()
		}, nil
	case <-during.Done():
		cancel()
		return nil, nil, errLate
	}
}

// A trade is a lock that can be lent.
type trade struct {
	lock
	turn int // changes when a trainer registers and with a reset
}

// lend unlocks t while do runs, because a disk may take long to fail. The error is errMoved if
// the turn has changed meanwhile.
func (t *trade) lend(do func() error) error {
	turn := t.turn
	t.Unlock()
	err := func() error {
		defer t.Lock()
		return do()
	}()
	if turn != t.turn {
		return errMoved
	}
	return err
}
