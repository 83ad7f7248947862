package queue

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Held returns the held groups of an environment, oldest first.
func (x *index) Held(env int32) []Entry {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(time.Now())
	list := make([]Entry, 0, len(x.waiting.held[env]))
	for _, seq := range x.waiting.held[env] {
		if e, ok := x.waiting.find(seq); ok {
			list = append(list, e)
		}
	}
	return list
}

// Free ends the hold on groups, durably for all at once when it returns nil. It ignores
// groups that are not held.
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
	q.changed.Wake()
	return nil
}

// loosen ends the hold on a group. x.mu is held.
func (x *index) loosen(seq uint64) {
	if l, ok := x.leased[seq]; ok {
		l.hold = freed
		return
	}
	if e, ok := x.unreadable[seq]; ok {
		e.hold = freed
		x.unreadable[seq] = e
		return
	}
	x.waiting.loosen(seq)
}

// loosen ends the hold on a group.
func (w *waitlist) loosen(seq uint64) {
	at, ok := w.search(seq)
	if !ok || !w.all()[at].Held() {
		return
	}
	e := &w.all()[at]
	w.tally(*e, -1)
	e.hold = freed
	w.tally(*e, 1)
}

// tallyHeld counts a held group in, or out if sign is -1.
func (w *waitlist) tallyHeld(e Entry, sign int) {
	if w.held == nil {
		w.held = make(map[int32][]uint64)
	}
	list := w.held[e.EnvID]
	at, found := slices.BinarySearch(list, e.Seq)
	switch {
	case sign > 0 && !found:
		list = slices.Insert(list, at, e.Seq)
	case sign < 0 && found:
		list = slices.Delete(list, at, at+1)
	}
	if w.held[e.EnvID] = list; len(list) == 0 {
		delete(w.held, e.EnvID)
	}
}
