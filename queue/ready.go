package queue

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/queue/groupform"
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
	faults int           // failed puts and probes so far
	err    error         // of the last put or probe
	until  time.Time     // err counts until then
	began  time.Time     // of the running probe
	ended  chan struct{} // closed when the running probe ends; nil: none runs
}

// Ready reports why a put would fail now. It goes by the last put if that succeeded in the past 3
// seconds, else by a probe, which adds no group. It waits half a second for the probe at
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
		faults := r.faults
		r.probes.Go(func() { r.end(faults, probe()) })
	}
	return r.ended, nil
}

// end records the outcome of a probe that began after faults.
func (r *readiness) end(faults int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(faults, err)
	if err != nil {
		r.until = time.Now().Add(readyFor)
	}
	close(r.ended)
	r.ended = nil
}

// begin returns the faults so far, for heed.
func (r *readiness) begin() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.faults
}

// heed records the outcome of a put that began after faults, unless the caller is the cause.
func (r *readiness) heed(ctx context.Context, faults int, err error) {
	store := errors.Is(err, ErrUnreachable) || errors.Is(err, ErrUncertain) || errors.Is(err, ErrNoSpace)
	if _, huge := errors.AsType[*groupform.TooLargeError](err); !store && (huge || errors.Is(ctx.Err(), context.Canceled)) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.note(faults, err)
}

// note records an outcome. An error counts until a later put or probe succeeds, and the next
// caller of Ready starts one; what began before the error proves nothing. r.mu is held.
func (r *readiness) note(faults int, err error) {
	r.until = time.Time{}
	switch {
	case err != nil:
		r.faults++
		r.err = err
	case faults == r.faults:
		r.err, r.until = nil, time.Now().Add(readyFor)
	}
}

// close waits for the running probe and prevents others.
func (r *readiness) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.probes.Wait()
}
