package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	readyFor  = 3 * time.Second        // how long the outcome of a put counts
	readyWait = 500 * time.Millisecond // how long Ready waits at most
	hungAfter = 5 * time.Second        // when an unanswered probe has failed
)

// A readiness is the last known ability to put groups.
type readiness struct {
	probes sync.WaitGroup

	mu     sync.Mutex // guards the rest; nothing else is called under it
	closed bool
	err    error         // of the last put or probe
	until  time.Time     // err counts until then
	began  time.Time     // of the running probe
	ended  chan struct{} // closed when the running probe ends; nil: none runs
}

// Ready reports why a put would fail now. It goes by the last put if that is at most 3
// seconds old, else by a probe, which adds no group. It waits half a second for the probe at
// most; until the answer the previous outcome counts, and after 5 seconds [ErrUnreachable].
func (q *Queue) Ready(ctx context.Context) error {
	r := &q.ready
	ended, err := r.start(func() error {
		ctx := context.WithoutCancel(ctx)
		if err := q.begin(ctx); err != nil {
			return err
		}
		defer q.ops.RUnlock()
		_, err := q.store.Put(ctx, nil)
		return q.doubt(err)
	})
	if ended == nil {
		return err
	}
	late := time.NewTimer(readyWait)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if took := time.Since(r.began); r.ended != nil && took >= hungAfter {
		return fmt.Errorf("no answer for %s: %w", took.Round(time.Second), ErrUnreachable)
	}
	return r.err
}

// start starts a probe unless one runs, and returns a channel that is closed when it ends.
// If none is needed, the channel is nil and err is the known outcome.
func (r *readiness) start(probe func() error) (ended <-chan struct{}, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch now := time.Now(); {
	case r.closed:
		return nil, ErrClosed
	case now.Before(r.until):
		return nil, r.err
	case r.ended == nil:
		r.began, r.ended = now, make(chan struct{})
		r.probes.Go(func() { r.end(probe()) })
	}
	return r.ended, nil
}

// end records the outcome of a probe.
func (r *readiness) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err, r.until = err, time.Now().Add(readyFor)
	close(r.ended)
	r.ended = nil
}

// heed records the outcome of a put. After an error the next caller of Ready starts a probe,
// because not every error is the store's. One of the store's counts until the probe answers.
func (r *readiness) heed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.err, r.until = nil, time.Now().Add(readyFor)
	case errors.Is(err, ErrUnreachable), errors.Is(err, ErrUncertain), errors.Is(err, ErrNoSpace):
		r.err, r.until = err, time.Time{}
	default:
		r.until = time.Time{}
	}
}

// close waits for the running probe and prevents others.
func (r *readiness) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.probes.Wait()
}
