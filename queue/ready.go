package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	readyFor  = 3 * time.Second        // for which the outcome of a put counts
	readyWait = 500 * time.Millisecond // the longest that Ready waits
	hungAfter = 5 * time.Second        // after which a probe without an answer has failed
)

// A readiness is what is known of whether groups would be kept.
type readiness struct {
	probes sync.WaitGroup // what close waits for

	mu     sync.Mutex // guards what follows; nothing else is called under it
	closed bool
	err    error         // of the last put or probe
	until  time.Time     // err counts until then
	began  time.Time     // of the probe under way
	ended  chan struct{} // closed when that probe ends; nil: none is under way
}

// Ready reports whether a group would be kept if it were put now. The error is what Put
// would return. It goes by the last put if that is at most 3 seconds old, else by a
// probe, which puts no group, for which it waits half a second at most. Until the probe
// has an answer, the outcome before it counts, and after 5 seconds [ErrUnreachable].
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

// start starts a probe unless one is under way, and returns a channel that is closed when
// it ends. The channel is nil if no probe is needed; err is what is known then.
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

// end notes the outcome of a probe.
func (r *readiness) end(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err, r.until = err, time.Now().Add(readyFor)
	close(r.ended)
	r.ended = nil
}

// heed notes the outcome of a put. After an error the next to ask has a probe made, since
// not every error is the store's. One that is counts until the probe has an answer.
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

// close waits for the probe under way, and lets no other begin.
func (r *readiness) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.probes.Wait()
}
