package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
}

// A Delivery is a group that was handed out.
type Delivery struct {
	Entry
	Group *quintain.Group // nil if the binary form was asked for
	Body  []byte          // the binary form, if it was asked for
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
		list := make([]Delivery, len(leases))
		err = each(len(leases), func(i int) (err error) {
			list[i], err = q.read(ctx, leases[i].Entry, w.Raw)
			return err
		})
		if err == nil {
			return list, nil
		}
		q.revoke(leases)
		if !errors.Is(err, errGone) {
			return nil, err
		}
	}
}

// errGone says that a group was acknowledged while it was read: its lease had run out,
// and another consumer took it.
var errGone = fmt.Errorf("acknowledged by another consumer: %w", ErrUnknown)

// grant moves what w picks from waiting to leased.
func (q *Queue) grant(w Want) ([]*lease, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.expire(now)
	picked := q.pick(w)
	seqs := make([]uint64, len(picked))
	for i, e := range picked {
		seqs[i] = e.Seq
		if _, ok := q.waiting.find(e.Seq); !ok {
			return nil, fmt.Errorf("picked the group of sequence number %d, which does not wait: %w", e.Seq, ErrUnknown)
		}
	}
	leases := make([]*lease, 0, len(seqs))
	for _, e := range q.waiting.take(seqs) {
		l := &lease{Entry: e, consumer: w.Consumer}
		if w.For > 0 {
			l.until = now.Add(w.For)
			q.remind(l.until)
		}
		q.leased[e.Seq] = l
		leases = append(leases, l)
	}
	place := make(map[uint64]int, len(seqs))
	for i, seq := range seqs {
		place[seq] = i
	}
	slices.SortFunc(leases, func(a, b *lease) int { return place[a.Seq] - place[b.Seq] })
	return leases, nil
}

// pick returns the choice of w. q.mu is held.
func (q *Queue) pick(w Want) []Entry {
	waiting := q.waiting.all()
	if w.Pick != nil {
		return w.Pick(waiting)
	}
	return waiting[:min(len(waiting), max(1, w.Max))]
}

// read returns the group of e, and sets it aside if it cannot be read.
func (q *Queue) read(ctx context.Context, e Entry, raw bool) (Delivery, error) {
	d := Delivery{Entry: e}
	body, err := q.store.Body(ctx, e.Seq)
	switch {
	case err != nil && !errors.Is(err, ErrUnknown):
		return d, fmt.Errorf("group %s: %w", e.ID, q.doubt(err))
	case err != nil: // the index has it, and the store does not
	case raw:
		d.Body, err = body, q.codec.Verify(body)
	default:
		d.Group, err = q.codec.Decode(body)
	}
	if err != nil && !q.setAside(e) {
		return d, fmt.Errorf("group %s: %w", e.ID, errGone)
	}
	if err != nil {
		return d, &CorruptError{Seq: e.Seq, ID: e.ID, Err: err}
	}
	return d, nil
}

// setAside takes e out of the groups that are handed out, if it is still there.
func (q *Queue) setAside(e Entry) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.aside[e.Seq]; ok {
		return true
	}
	if _, ok := q.find(e.Seq); !ok {
		return false
	}
	q.waiting.take([]uint64{e.Seq})
	delete(q.leased, e.Seq)
	q.aside[e.Seq] = e
	q.stats.Corrupt++
	q.log.Error("a group cannot be read and is set aside", "id", e.ID, "seq", e.Seq)
	return true
}

// revoke undoes leases that were granted but not delivered.
func (q *Queue) revoke(leases []*lease) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range leases {
		if q.leased[l.Seq] == l && !l.busy {
			delete(q.leased, l.Seq)
			q.waiting.add(l.Entry)
		}
	}
	q.notify()
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

// hold marks the consumer's leases busy: all of seqs, or none.
func (q *Queue) hold(consumer string, seqs []uint64) ([]*lease, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	var leases []*lease
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(seqs))) {
		l, ok := q.leased[seq]
		if !ok || l.busy || l.consumer != consumer {
			return nil, &NotLeasedError{Seq: seq, Consumer: consumer}
		}
		leases = append(leases, l)
	}
	for _, l := range leases {
		l.busy = true
	}
	return leases, nil
}

func (q *Queue) unhold(leases []*lease) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range leases {
		l.busy = false
		if !l.until.IsZero() {
			q.remind(l.until)
		}
	}
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

// seize makes busy leases of seqs, wherever they are.
func (q *Queue) seize(seqs []uint64) []*lease {
	q.mu.Lock()
	defer q.mu.Unlock()
	var leases []*lease
	for _, e := range q.waiting.take(seqs) {
		q.leased[e.Seq] = &lease{Entry: e}
	}
	for _, seq := range slices.Compact(slices.Sorted(slices.Values(seqs))) {
		if e, ok := q.aside[seq]; ok && q.leased[seq] == nil {
			q.leased[seq] = &lease{Entry: e}
		}
		if l, ok := q.leased[seq]; ok && !l.busy {
			l.busy = true
			leases = append(leases, l)
		}
	}
	return leases
}

// Release lets groups that are leased to the consumer wait again, in their old places.
// It returns how many of seqs it found.
func (q *Queue) Release(consumer string, seqs ...uint64) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	n := 0
	for _, seq := range seqs {
		if l, ok := q.leased[seq]; ok && l.consumer == consumer && !l.busy {
			q.giveBack(l)
			n++
		}
	}
	return n
}

// ReleaseAll lets all groups that are leased to the consumer wait again, and returns
// how many there were.
func (q *Queue) ReleaseAll(consumer string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	n := 0
	for _, l := range q.leased {
		if l.consumer == consumer && !l.busy {
			q.giveBack(l)
			n++
		}
	}
	return n
}

// giveBack lets a released group wait. q.mu is held.
func (q *Queue) giveBack(l *lease) {
	delete(q.leased, l.Seq)
	q.waiting.add(l.Entry)
	q.stats.Released++
	q.notify()
}

// NextExpiry is the earliest time at which a lease runs out; ok is false if none does.
func (q *Queue) NextExpiry() (at time.Time, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	return q.next, !q.next.IsZero()
}

// remind has expire look at the leases at the given time. q.mu is held.
func (q *Queue) remind(at time.Time) {
	if q.next.IsZero() || at.Before(q.next) {
		q.next = at
	}
}

// expire lets groups wait again whose lease has run out. q.mu is held.
func (q *Queue) expire(now time.Time) {
	if q.next.IsZero() || now.Before(q.next) {
		return
	}
	q.next = time.Time{}
	for seq, l := range q.leased {
		switch {
		case l.until.IsZero() || l.busy:
		case now.Before(l.until):
			q.remind(l.until)
		default:
			delete(q.leased, seq)
			q.waiting.add(l.Entry)
			q.stats.Expired++
			q.notify()
		}
	}
}
