// Package queuetest makes groups for tests, and tests the promises of a queue over a store. Each is a case of a table, with
// a sentence.
package queuetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
)

// A Place makes stores of one kind.
type Place struct {
	// New returns a function that opens an empty store, and reopens the same one once it is
	// closed.
	New func(t testing.TB) func() (queue.Store, error)

	// Bubble says that the store starts no goroutine and waits for nothing outside, so its tests
	// may run with a fake clock.
	Bubble bool
}

// A promise holds for every queue.
type promise struct {
	name string
	why  string // the sentence that a failing case breaks
	test func(*rig)
}

// Run tests the queues over stores of a place.
func Run(t *testing.T, p Place) {
	for _, c := range slices.Concat(identity, handing, keeping) {
		t.Run(c.name, func(t *testing.T) {
			p.run(t, func(t *testing.T) {
				r := newRig(t, p.New(t))
				defer r.end()
				defer func() {
					if t.Failed() {
						t.Log("broken: " + c.why)
					}
				}()
				c.test(r)
			})
		})
	}
}

// run calls f, in a bubble if the place allows one.
func (p Place) run(t *testing.T, f func(*testing.T)) {
	if p.Bubble {
		synctest.Test(t, f)
		return
	}
	f(t)
}

// A rig is a queue under test.
type rig struct {
	tb
	open    func() (queue.Store, error)
	options queue.Options
	q       *queue.Queue
	ctx     context.Context
}

// A tb is a [testing.T], or the one of a random history.
type tb interface {
	Helper()
	Error(...any)
	Errorf(string, ...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

func newRig(t tb, open func() (queue.Store, error)) *rig {
	r := &rig{tb: t, open: open, ctx: context.Background()}
	r.start(nil)
	return r
}

// start opens the queue, over its store wrapped by wrap.
func (r *rig) start(wrap func(queue.Store) queue.Store) {
	r.Helper()
	s, err := r.open()
	if err != nil {
		r.Fatal(err)
	}
	if wrap != nil {
		s = wrap(s)
	}
	if r.q, err = queue.Open(r.ctx, s, r.options); err != nil {
		r.Fatal(err)
	}
}

// reopen closes the queue and opens it again.
func (r *rig) reopen() {
	r.Helper()
	r.must(r.q.Close())
	r.start(nil)
}

// end checks the invariants after a case, and closes the queue.
func (r *rig) end() {
	r.Helper()
	if r.q.Close() != nil { // the case has closed it
		return
	}
	r.start(nil)
	if n := r.q.Stats().Lost; n > 0 {
		r.Errorf("%d groups are missing", n)
	}
	r.must(r.q.Close())
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// put puts the groups of the given numbers one by one; each must be fresh.
func (r *rig) put(numbers ...int) {
	r.Helper()
	for _, i := range numbers {
		fresh, err := r.q.Put(r.ctx, Group(i))
		r.must(err)
		if !fresh {
			r.Fatalf("group %d is not fresh", i)
		}
	}
}

// again puts a group that must not be fresh.
func (r *rig) again(i int) {
	r.Helper()
	fresh, err := r.q.Put(r.ctx, Group(i))
	r.must(err)
	if fresh {
		r.Errorf("group %d is fresh, and was put before", i)
	}
}

// lease leases up to n groups to a consumer.
func (r *rig) lease(consumer string, n int) []queue.Delivery {
	r.Helper()
	list, err := r.q.Lease(r.ctx, queue.Want{Consumer: consumer, Max: n})
	r.must(err)
	return list
}

// want checks the delivered groups and their order.
func (r *rig) want(list []queue.Delivery, numbers ...int) {
	r.Helper()
	var got, want []string
	for _, d := range list {
		got = append(got, d.ID)
	}
	for _, i := range numbers {
		want = append(want, Group(i).ID)
	}
	if !slices.Equal(got, want) {
		r.Fatalf("groups %v came, want %v", got, want)
	}
	for i, d := range list {
		if diff := Diff(Group(numbers[i]), d.Group); diff != "" {
			r.Errorf("group %s: %s", d.ID, diff)
		}
	}
}

// wait waits for the end of the next lease, unless it has already ended on a slow machine.
func (r *rig) wait() {
	if at, ok := r.q.NextExpiry(); ok {
		<-time.After(time.Until(at))
	}
}

// seqs are the sequence numbers of deliveries.
func seqs(list []queue.Delivery) []uint64 {
	var out []uint64
	for _, d := range list {
		out = append(out, d.Seq)
	}
	return out
}

// nameless returns group i without its ID.
func nameless(i int) *quintain.Group {
	g := Group(i)
	g.ID = ""
	return g
}

// only picks the waiting groups of the given numbers, in that order.
func only(numbers ...int) func([]queue.Entry) []queue.Entry {
	return func(waiting []queue.Entry) []queue.Entry {
		var list []queue.Entry
		for _, i := range numbers {
			for _, e := range waiting {
				if e.ID == fmt.Sprintf("g%d", i) {
					list = append(list, e)
				}
			}
		}
		return list
	}
}
