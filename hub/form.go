package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/queue"
)

// errNoBatch says that the waiting groups form no batch.
var errNoBatch = errors.New("no batch")

// noBatchYet reports whether err may pass with time: no batch, or groups that the disk cannot
// read for now.
func noBatchYet(err error) bool {
	return errors.Is(err, errNoBatch) || errors.Is(err, queue.ErrUnreadable)
}

// nextBatch acknowledges the trainer's batches, if its claim says so, and returns the next
// batch: one that is due again, or a new one.
func (r *Run) nextBatch(ctx context.Context, c claim) (parcel, error) {
	ctx, l, err := r.mu.acquire(ctx)
	if err != nil {
		return parcel{}, err
	}
	defer l.end()
	if err := r.batches.settle(ctx, c); err != nil {
		return parcel{}, err
	}
	for {
		d := r.batches.nextDue(c.trainer)
		if d == nil {
			p, err := r.form(ctx, l, c)
			if errors.Is(err, errMoved) {
				continue
			}
			return p, err
		}
		if d.demand == r.registry.Demand() {
			p, err := r.again(ctx, l, d, c)
			if errors.Is(err, errMoved) {
				continue
			}
			if err == nil || !isCorrupt(err) && !errors.Is(err, queue.ErrUnknown) {
				return p, err
			}
		}
		if err := r.batches.dissolve(ctx, d); err != nil {
			return parcel{}, err
		}
	}
}

// again hands out an earlier batch. r.mu is held.
func (r *Run) again(ctx context.Context, l *lock, d *batch, c claim) (parcel, error) {
	release := r.batches.reserve(d)
	var first []queue.Delivery
	err := l.released(ctx, func() (err error) { first, err = r.batches.fetch(ctx, d.seqs); return err })
	if !release(err) {
		return parcel{}, errMoved
	}
	if err != nil {
		return parcel{}, err
	}
	if err := r.batches.own(ctx, ownerOf(c), d); err != nil {
		return parcel{}, err
	}
	return r.batches.launch(d, first, c), nil
}

// awaitBatch returns the next batch as soon as there is one, while the client waits. Waiting
// calls stand in line, and a change wakes only the first.
func (r *Run) awaitBatch(ctx context.Context, by claim, wait time.Duration) (parcel, error) {
	p, err := r.nextBatch(ctx, by)
	if !noBatchYet(err) || wait == 0 {
		return p, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, wait, errNoBatch)
	defer stop()
	select {
	case r.line <- struct{}{}:
		defer func() { <-r.line }()
		return r.watchForBatch(ctx, by)
	case <-ctx.Done():
		return parcel{}, context.Cause(ctx)
	case <-r.server.web.Stopping():
		return parcel{}, errNoBatch
	}
}

// watchForBatch returns the next batch as soon as there is one, or the cause of ctx.
func (r *Run) watchForBatch(ctx context.Context, by claim) (parcel, error) {
	for {
		came, moved := r.queue.Changed(), r.batches.moved.Next()
		p, err := r.nextBatch(ctx, by)
		if !noBatchYet(err) {
			return p, err
		}
		clock := time.NewTimer(r.nextTurn(time.Now()))
		select {
		case <-came:
		case <-moved:
		case <-clock.C:
		case <-ctx.Done():
			clock.Stop()
			if cause := context.Cause(ctx); !errors.Is(cause, errNoBatch) {
				err = cause
			}
			return parcel{}, err
		case <-r.server.web.Stopping():
			clock.Stop()
			return parcel{}, errNoBatch
		}
		clock.Stop()
	}
}

// nextTurn is the time until a lease runs out, an environment counts as gone, or groups that
// could not be read are tried again, which may make a batch possible.
func (r *Run) nextTurn(now time.Time) time.Duration {
	next := r.batches.nextLapse(now.Add(maxWait))
	if again, ok := r.queue.NextExpiry(); ok && again.Before(next) {
		next = again
	}
	next = r.registry.NextSilence(now, next)
	return max(time.Millisecond, next.Sub(now)+time.Millisecond)
}

// form forms a batch of the waiting groups, and counts the step. r.mu is held.
func (r *Run) form(ctx context.Context, l *lock, c claim) (parcel, error) {
	d, first, err := r.choose(ctx, l)
	if err != nil {
		return parcel{}, err
	}
	d.owner = ownerOf(c)
	if err := r.batches.save(ctx, r.batches.step+1, append(slices.Clone(r.batches.open), d)); err != nil {
		r.queue.Release(consumer, d.seqs...)
		return parcel{}, err
	}
	return r.batches.launch(d, first, c), nil
}

// choose leases the groups of the next batch, and reads the first portion. If some cannot be
// read, the queue sets them aside, and choose tries again. The error is a
// [queue.ErrUnreadable] if there is no batch because the disk fails for a moment. r.mu is
// held.
func (r *Run) choose(ctx context.Context, l *lock) (*batch, []queue.Delivery, error) {
	for {
		groups, err := r.queue.Lease(ctx, queue.Want{Consumer: consumer, Blind: true, Pick: r.pick})
		if err != nil {
			return nil, nil, err
		}
		if len(groups) == 0 {
			if err := missed(r.queue, r.registry.Demand()); err != nil {
				return nil, nil, err
			}
			return nil, nil, errNoBatch
		}
		d := newBatch(groups, r.registry.Demand())
		var first []queue.Delivery
		err = l.released(ctx, func() (err error) { first, err = r.batches.fetch(ctx, d.seqs); return err })
		if err != nil {
			r.queue.Release(consumer, d.seqs...)
		}
		if !isCorrupt(err) {
			return d, first, err
		}
	}
}

// missed is an error if there might be a batch if the disk could read.
func missed(q *queue.Queue, want registry.Demand) error {
	lost, why := q.Unreadable()
	waiting := q.Waiting()
	if lost.Groups == 0 || want.Of(lost.Groups+waiting.Groups, lost.Episodes+waiting.Episodes, lost.Sequences+waiting.Sequences) < want.Least {
		return nil
	}
	return fmt.Errorf("groups that cannot be read for now: %d: %w", lost.Groups, why)
}

// pick returns the groups of the next batch. The queue calls it under its lock, so it takes
// only locks under which nobody calls the queue.
func (r *Run) pick(waiting []queue.Entry) []queue.Entry {
	who := r.registry.Roster(time.Now())
	step, bound := r.batches.current(), r.server.config.Bound
	return who.Pick(waiting, func(e *queue.Entry) bool { return bound != nil && e.Stale(step, *bound) })
}
