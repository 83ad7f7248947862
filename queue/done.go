package queue

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// finish logs groups as done, and frees their bodies.
func (q *Queue) finish(ctx context.Context, list []Entry) error {
	var r logRecord
	for _, e := range list {
		r.Gone = append(r.Gone, e.Seq)
		if !e.anon {
			r.Keys = append(r.Keys, e.key())
		}
	}
	slices.Sort(r.Gone)
	q.mu.Lock()
	r.Last, r.At = q.last, q.done.now()
	q.mu.Unlock()
	if err := q.store.Append(ctx, r.encode()); err != nil {
		return q.doubt(err)
	}
	q.mu.Lock()
	q.noted = max(q.noted, r.Last)
	for _, k := range r.Keys {
		delete(q.here, k)
	}
	q.done.add(r.At, r.Keys...)
	for _, seq := range r.Gone {
		delete(q.leased, seq)
		delete(q.unreadable, seq)
		delete(q.tries, seq)
		q.garbage[seq] = struct{}{}
	}
	q.mu.Unlock()
	q.free(ctx)
	return nil
}

// minSweep is the least number of bodies worth a sweep below a number; fewer are deleted
// faster one by one.
const minSweep = 4

// free deletes the bodies of done groups, or leaves them for later if it cannot.
func (q *Queue) free(ctx context.Context) {
	below, rest := q.deletable()
	if below == 0 && len(rest) == 0 {
		return
	}
	err := q.store.Delete(context.WithoutCancel(ctx), below, rest)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.log.Warn("bodies of finished groups stay in the store for now", "groups", len(q.garbage), "err", err)
		return
	}
	for _, seq := range rest {
		delete(q.garbage, seq)
	}
	for seq := range q.garbage {
		if seq < below {
			delete(q.garbage, seq)
		}
	}
	if len(q.garbage) == 0 {
		q.garbage = make(map[uint64]struct{}) // frees the memory
	}
}

// each calls f for 0 to n-1 concurrently. After an error it starts no more calls; it waits
// for all, and returns the first error.
func each(n int, f func(i int) error) error {
	var (
		next   atomic.Int64
		failed atomic.Bool
		wg     sync.WaitGroup
		errs   = make([]error, n)
	)
	work := func() {
		for !failed.Load() {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			if errs[i] = f(i); errs[i] != nil {
				failed.Store(true)
			}
		}
	}
	for range min(n, runtime.GOMAXPROCS(0)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return cmp.Or(errs...)
}
