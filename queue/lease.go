package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Want says which groups a consumer asks for.
type Want struct {
	Consumer string        // asks, and will acknowledge
	For      time.Duration // how long the lease lasts; 0: until acknowledged or released

	// Pick chooses among the waiting groups, which it gets oldest first, and returns
	// its choice in the order in which they will be delivered. It is called under the
	// queue's lock: it must be quick, must not change or keep the slice, and must not
	// call the queue. Nil takes the Max oldest, or one if Max is 0.
	Pick func(waiting []Entry) []Entry
	Max  int

	// Raw asks for the groups in their binary form, verified but not decoded.
	Raw bool

	// Blind asks for the entries alone: see [Queue.ReadRaw].
	Blind bool
}

// A Delivery is a group that was handed out.
type Delivery struct {
	Entry
	Group *quintain.Group // nil if the binary form was asked for
	Body  []byte          // the binary form, if that was asked for
}

// A lease is a group that a consumer has.
type lease struct {
	Entry
	consumer string
	until    time.Time // zero: it does not run out
	busy     bool      // it is being acknowledged or dropped; until then it neither runs out nor is released
}

// Lease hands out groups, or none if none waits or Pick chooses none. They belong to
// the consumer until it acknowledges or releases them, or the lease runs out.
//
// After an error nothing is leased. A group that cannot be read is set aside and
// reported as a [*CorruptError]; the next call does without it.
func (q *Queue) Lease(ctx context.Context, w Want) ([]Delivery, error) {
	if err := q.begin(ctx); err != nil {
		return nil, err
	}
	defer q.ops.RUnlock()
	for {
		leases, err := q.grant(w)
		if err != nil {
			return nil, err
		}
		if w.Blind {
			return deliveries(entriesOf(leases)), nil
		}
		list, err := q.readAll(ctx, entriesOf(leases), w.Raw)
		if err == nil {
			return list, nil
		}
		q.revoke(leases)
		if !errors.Is(err, errGone) {
			return nil, err
		}
	}
}

// deliveries are groups without their bodies.
func deliveries(entries []Entry) []Delivery {
	list := make([]Delivery, len(entries))
	for i, e := range entries {
		list[i].Entry = e
	}
	return list
}

// readAll returns the groups of entries.
func (q *Queue) readAll(ctx context.Context, entries []Entry, raw bool) ([]Delivery, error) {
	list := make([]Delivery, len(entries))
	err := each(len(entries), func(i int) (err error) {
		list[i], err = q.read(ctx, entries[i], raw)
		return err
	})
	return list, err
}

// errGone says that a group was acknowledged while it was read: its lease had run out,
// and another consumer took it.
var errGone = fmt.Errorf("acknowledged by another consumer: %w", ErrUnknown)

// read returns the group of e, and sets it aside if it cannot be read. That is said of
// this group alone: others, and what is put, do not depend on it.
func (q *Queue) read(ctx context.Context, e Entry, raw bool) (Delivery, error) {
	d := Delivery{Entry: e}
	body, err := q.store.Body(ctx, e.Seq)
	switch {
	case errors.Is(err, ErrUnreadable):
	case err != nil && !errors.Is(err, ErrUnknown):
		return d, fmt.Errorf("group %s: %w", e.ID, q.doubt(err))
	case err != nil: // the index has it, and the store does not
	case raw:
		d.Body, err = body, q.codec.Verify(body)
	default:
		d.Group, err = q.codec.Decode(body)
	}
	if err != nil && !q.setAside(e, err) {
		return d, fmt.Errorf("group %s: %w", e.ID, errGone)
	}
	if err != nil {
		return d, &CorruptError{Seq: e.Seq, ID: e.ID, Err: err}
	}
	return d, nil
}

// Ack says that the consumer is done with groups. When it returns nil that is durable,
// for all of them at once, and they are never handed out again. If one of them is not
// leased to the consumer, Ack does nothing and returns a [*NotLeasedError]. After any
// other error they stay leased, and Ack may be tried again; see [ErrUncertain].
func (q *Queue) Ack(ctx context.Context, consumer string, seqs ...uint64) error {
	if err := q.begin(ctx); err != nil {
		return err
	}
	defer q.ops.RUnlock()
	leases, err := q.hold(consumer, seqs)
	if err != nil || len(leases) == 0 {
		return err
	}
	if err := q.finish(ctx, entriesOf(leases)); err != nil {
		q.unhold(leases)
		return fmt.Errorf("acknowledging: %w", err)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stats.Acked += uint64(len(leases))
	return nil
}

func entriesOf(leases []*lease) []Entry {
	list := make([]Entry, len(leases))
	for i, l := range leases {
		list[i] = l.Entry
	}
	return list
}

// Drop removes groups for good, as if they were acknowledged, whether they wait, are
// leased to any consumer, or are set aside. It returns how many of seqs it found.
// After an error, those that were leased wait again.
func (q *Queue) Drop(ctx context.Context, seqs ...uint64) (int, error) {
	if err := q.begin(ctx); err != nil {
		return 0, err
	}
	defer q.ops.RUnlock()
	leases := q.seize(seqs)
	if len(leases) == 0 {
		return 0, nil
	}
	err := q.finish(ctx, entriesOf(leases))
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		q.stats.Dropped += uint64(len(leases))
		return len(leases), nil
	}
	for _, l := range leases {
		delete(q.leased, l.Seq)
		if _, corrupt := q.aside[l.Seq]; !corrupt {
			q.waiting.add(l.Entry)
		}
	}
	q.notify()
	return 0, fmt.Errorf("dropping: %w", err)
}

// Release lets groups that are leased to the consumer wait again, in their old places.
// It returns how many of seqs it found.
func (b *books) Release(consumer string, seqs ...uint64) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire(time.Now())
	n := 0
	for _, seq := range seqs {
		if l, ok := b.leased[seq]; ok && l.consumer == consumer && !l.busy {
			b.giveBack(l)
			n++
		}
	}
	return n
}

// ReleaseAll lets all groups that are leased to the consumer wait again, and returns
// how many there were.
func (b *books) ReleaseAll(consumer string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire(time.Now())
	n := 0
	for _, l := range b.leased {
		if l.consumer == consumer && !l.busy {
			b.giveBack(l)
			n++
		}
	}
	return n
}

// NextExpiry is the earliest time at which a lease runs out; ok is false if none does.
func (q *Queue) NextExpiry() (at time.Time, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	return q.next, !q.next.IsZero()
}
