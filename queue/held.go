package queue

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Held returns the groups of an environment that wait and are held, oldest first.
func (b *books) Held(env int32) []Entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire(time.Now())
	list := make([]Entry, 0, len(b.waiting.held[env]))
	for _, seq := range b.waiting.held[env] {
		if e, ok := b.waiting.find(seq); ok {
			list = append(list, e)
		}
	}
	return list
}

// Free lets consumers have groups that are held. It is durable when Free returns nil, for
// all of them at once. Groups that are not held do not matter.
func (q *Queue) Free(ctx context.Context, seqs ...uint64) error {
	if err := q.begin(ctx); err != nil {
		return err
	}
	defer q.ops.RUnlock()
	r := logRecord{Freed: slices.Compact(slices.Sorted(slices.Values(seqs)))}
	q.mu.Lock()
	r.Freed = slices.DeleteFunc(r.Freed, func(seq uint64) bool {
		e, ok := q.find(seq)
		return !ok || !e.Held()
	})
	r.Last = q.last
	q.mu.Unlock()
	if len(r.Freed) == 0 {
		return nil
	}
	if err := q.store.Append(ctx, r.encode()); err != nil {
		return fmt.Errorf("freeing held groups: %w", q.doubt(err))
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.noted = max(q.noted, r.Last)
	for _, seq := range r.Freed {
		q.loosen(seq)
	}
	q.notify()
	return nil
}

// free1 no longer holds the group of seq, wherever it is. b.mu is held.
func (b *books) loosen(seq uint64) {
	if l, ok := b.leased[seq]; ok {
		l.hold = freed
		return
	}
	if e, ok := b.aside[seq]; ok {
		e.hold = freed
		b.aside[seq] = e
		return
	}
	b.waiting.loosen(seq)
}

// loosen no longer holds the group of seq.
func (x *index) loosen(seq uint64) {
	at, ok := x.search(seq)
	if !ok || !x.all()[at].Held() {
		return
	}
	e := &x.all()[at]
	x.tally(*e, -1)
	e.hold = freed
	x.tally(*e, 1)
}

// tallyHeld notes that e is held, or no longer if sign is -1.
func (x *index) tallyHeld(e Entry, sign int) {
	if x.held == nil {
		x.held = make(map[int32][]uint64)
	}
	list := x.held[e.EnvID]
	at, found := slices.BinarySearch(list, e.Seq)
	switch {
	case sign > 0 && !found:
		list = slices.Insert(list, at, e.Seq)
	case sign < 0 && found:
		list = slices.Delete(list, at, at+1)
	}
	if x.held[e.EnvID] = list; len(list) == 0 {
		delete(x.held, e.EnvID)
	}
}
