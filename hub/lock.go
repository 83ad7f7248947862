package hub

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// patience is how long a request to change batches or registrations waits for the store, and
// for other requests that wait for it.
const patience = 10 * time.Second

// errLate ends a request after its patience.
var errLate = fmt.Errorf("the store has not answered for %s", patience)

// errMoved says that a trainer registered, or that the run was reset, while a request had released
// the lock: begin anew.
var errMoved = errors.New("the run changed meanwhile")

// A mutex locks a run's batches and registrations. A request waits for it for a limited time.
type mutex struct {
	held  chan struct{} // full while it is locked
	moves int           // registrations and resets
}

func newMutex() *mutex { return &mutex{held: make(chan struct{}, 1)} }

// Lock locks m for a change that no client waits for.
func (m *mutex) Lock() { m.held <- struct{}{} }

// Unlock ends Lock.
func (m *mutex) Unlock() { <-m.held }

// lockWithin locks m. The error is errLate, if ctx ends before that.
func (m *mutex) lockWithin(ctx context.Context) error {
	select {
	case m.held <- struct{}{}:
		return nil
	case <-ctx.Done():
		return errLate
	}
}

// A lock is a mutex that a request has locked.
type lock struct {
	*mutex
	lost   bool // it was released, and not to be had again
	cancel context.CancelFunc
}

// acquire locks m for a request, until end is called. The context that it returns outlives the
// client, and ends after the patience, the waits for the lock included: so a store that does not
// answer delays no request for longer, however many wait. The error is errLate.
func (m *mutex) acquire(ctx context.Context) (context.Context, *lock, error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), patience, errLate)
	if err := m.lockWithin(ctx); err != nil {
		cancel()
		return nil, nil, err
	}
	return ctx, &lock{mutex: m, cancel: cancel}, nil
}

// end unlocks the mutex.
func (l *lock) end() {
	if !l.lost {
		l.Unlock()
	}
	l.cancel()
}

// released calls do without the lock, because a disk may take long to fail. The error is errMoved
// if the run changed meanwhile, or errLate if the lock was not to be had again: the request is over
// then.
func (l *lock) released(ctx context.Context, do func() error) error {
	moves := l.moves
	l.Unlock()
	err := do()
	if late := l.lockWithin(ctx); late != nil {
		l.lost = true
		return late
	}
	if moves != l.moves {
		return errMoved
	}
	return err
}
