package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Want is a consumer's request for groups.
type Want struct {
	Consumer string
	For      time.Duration // duration of the lease; 0: until acknowledged or released

	// Pick chooses among the waiting groups, given oldest first, and returns its choice in the
	// order of delivery. It runs under the queue's lock: it must be quick, must not change or
	// keep the slice, and must not call the queue. Nil takes the Max oldest, or one if Max is 0.
	Pick func(waiting []Entry) []Entry
	Max  int

	// Raw asks for groups in binary form, verified but not decoded.
	Raw bool

	// Blind asks for entries only: see [Queue.ReadRaw].
	Blind bool
}

// A Delivery is a leased group.
type Delivery struct {
	Entry
	Group *quintain.Group // nil if Raw or Blind
	Body  []byte          // the binary form if Raw, else nil
}

// A lease is a group in a consumer's hands.
type lease struct {
	Entry
	consumer string
	until    time.Time // zero: no end
	busy     bool      // being acknowledged or dropped: it neither runs out nor can be released
}

// Lease hands out groups, or none if none waits or Pick chooses none. They belong to the
// consumer until it acknowledges or releases them, or the lease runs out.
//
// After an error nothing is leased. A group that cannot be read is set aside and reported as
// a [*CorruptError]; the next call works without it.
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
			q.announce(&q.onLeased, leases)
			return deliveries(entriesOf(leases)), nil
		}
		list, err := q.readAll(ctx, entriesOf(leases), w.Raw)
		if err != nil {
			q.revoke(leases)
		} else {
			q.announce(&q.onLeased, leases)
		}
		if !errors.Is(err, errGone) {
			return list, err
		}
	}
}

// deliveries are groups without bodies.
func deliveries(entries []Entry) []Delivery {
	list := make([]Delivery, len(entries))
	for i, e := range entries {
		list[i].Entry = e
	}
	return list
}

// readAll reads the groups of entries, or sets those aside that cannot be read.
func (q *Queue) readAll(ctx context.Context, entries []Entry, raw bool) ([]Delivery, error) {
	list := make([]Delivery, len(entries))
	var f failures
	order, again := q.order(entries)
	err := each(len(entries), func(n int) (err error) {
		i := order[n]
		if f.near(entries[i].Seq) {
			return nil
		}
		list[i], err = q.try(ctx, entries[i], raw)
		if bad, ok := errors.AsType[*CorruptError](err); ok {
			f.add(entries[i], bad.Err, n >= again)
			return nil
		}
		return err
	})
	if err == nil && len(f.list) > 0 {
		err = q.setAside(entries, &f)
	}
	if err != nil {
		return nil, err
	}
	return list, nil
}

// errGone says that a group was acknowledged during the read: its lease had run out, and
// another consumer took it.
var errGone = fmt.Errorf("acknowledged by another consumer: %w", ErrUnknown)

// try reads the group of e. The error is a [*CorruptError] if it cannot be read.
func (q *Queue) try(ctx context.Context, e Entry, raw bool) (Delivery, error) {
	d := Delivery{Entry: e}
	body, err := q.store.Body(ctx, e.Seq)
	if errors.Is(err, ErrUnreadable) || errors.Is(err, ErrUnknown) { // the index has it, so it should be there
		return d, &CorruptError{Seq: e.Seq, ID: e.ID, Err: err}
	}
	if err != nil {
		return d, fmt.Errorf("group %s: %w", e.ID, q.doubt(err))
	}
	if raw {
		d.Body, err = body, q.codec.Verify(body)
	} else {
		d.Group, err = q.codec.Decode(body)
	}
	if err != nil {
		return d, &CorruptError{Seq: e.Seq, ID: e.ID, Err: err}
	}
	return d, nil
}

// Ack says that the consumer is done with groups. When it returns nil they are durably done,
// all of them at once, and never handed out again. If one is not leased to the consumer, Ack
// does nothing and returns a [*NotLeasedError]. After any other error they stay leased, and
// Ack may be repeated; see [ErrUncertain].
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
	q.announce(&q.onAcked, leases)
	return nil
}

func entriesOf(leases []*lease) []Entry {
	list := make([]Entry, len(leases))
	for i, l := range leases {
		list[i] = l.Entry
	}
	return list
}

// Drop removes groups for good, as if acknowledged, be they waiting, leased to any consumer,
// or set aside. It returns how many of seqs it found. After an error, the leased ones wait
// again.
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
	if err != nil {
		q.unseize(leases)
		return 0, fmt.Errorf("dropping: %w", err)
	}
	q.stats.Dropped += uint64(len(leases))
	return len(leases), nil
}

// unseize lets seized groups wait again, unless they are set aside. x.mu is held.
func (x *index) unseize(leases []*lease) {
	var back []Entry
	for _, l := range leases {
		delete(x.leased, l.Seq)
		if _, corrupt := x.unreadable[l.Seq]; !corrupt {
			back = append(back, l.Entry)
		}
	}
	x.waiting.add(back...)
	x.changed.Wake()
}

// Release ends the consumer's leases of groups, which wait again in their old places. It
// returns how many of seqs it found.
func (x *index) Release(consumer string, seqs ...uint64) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(time.Now())
	var leases []*lease
	for _, seq := range seqs {
		if l, ok := x.leased[seq]; ok && l.consumer == consumer && !l.busy {
			leases = append(leases, l)
			delete(x.leased, seq)
		}
	}
	x.giveBack(leases)
	return len(leases)
}

// ReleaseAll releases all of the consumer's groups, and returns how many.
func (x *index) ReleaseAll(consumer string) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(time.Now())
	var leases []*lease
	for seq, l := range x.leased {
		if l.consumer == consumer && !l.busy {
			leases = append(leases, l)
			delete(x.leased, seq)
		}
	}
	x.giveBack(leases)
	return len(leases)
}

// NextExpiry is the earliest end of a lease; ok is false if none ends.
func (q *Queue) NextExpiry() (at time.Time, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	return q.next, !q.next.IsZero()
}
