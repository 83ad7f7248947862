package queue_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// A moody store takes puts or fails them, as be says.
type moody struct {
	*queue.Memory
	mu   sync.Mutex
	err  error         // of later puts
	gate chan struct{} // if not nil, they wait until it is closed
	puts int           // so far
}

func (m *moody) Put(ctx context.Context, records []queue.Record) ([]uint64, error) {
	m.mu.Lock()
	err, gate := m.err, m.gate
	m.puts++
	m.mu.Unlock()
	if gate != nil {
		<-gate
	}
	if err != nil {
		return nil, err
	}
	return m.Memory.Put(ctx, records)
}

// be sets the outcome of later puts.
func (m *moody) be(err error, gate chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err, m.gate = err, gate
}

func (m *moody) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.puts
}

func openMoody(t *testing.T) (*queue.Queue, *moody) {
	m := &moody{Memory: queue.NewMemory()}
	q, err := queue.Open(t.Context(), m, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
	return q, m
}

// A queue is ready while puts succeed. A recent put saves the probe, and there is one probe
// every few seconds for any number of callers.
func TestReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, m := openMoody(t)
		broken := errors.New("broken")
		for i, test := range []struct {
			why   string
			after time.Duration // since the step before
			err   error         // of the store from then on
			put   bool          // a group first
			want  error
			puts  int // that reach the store
		}{
			{"nothing is known: a probe", 0, nil, false, nil, 1},
			{"the outcome of a probe counts for a while", 2 * time.Second, broken, false, nil, 0},
			{"but not for long", time.Second, broken, false, broken, 1},
			{"nor does a fault", 3 * time.Second, nil, false, nil, 1},
			{"a put that fails has a probe made at once", 0, broken, true, broken, 2},
			{"a fault counts for a while, too", time.Second, nil, false, broken, 0},
			{"a put that succeeds needs no probe", 0, nil, true, nil, 1},
			{"a put refused for lack of space demands a probe", 0, queue.ErrNoSpace, true, queue.ErrNoSpace, 2},
		} {
			time.Sleep(test.after)
			m.be(test.err, nil)
			before := m.count()
			if test.put {
				if _, err := q.Put(t.Context(), queuetest.Group(i)); !errors.Is(err, test.err) {
					t.Errorf("%s: put: %v", test.why, err)
				}
			}
			var all sync.WaitGroup
			for range 10 {
				all.Go(func() {
					if err := q.Ready(t.Context()); !errors.Is(err, test.want) {
						t.Errorf("%s: error %v, want %v", test.why, err, test.want)
					}
				})
			}
			all.Wait()
			if n := m.count() - before; n != test.puts {
				t.Errorf("%s: the store saw %d puts, want %d", test.why, n, test.puts)
			}
		}
	})
}

// After a put that failed, whatever the store calls it, the queue is not ready until a put or a
// probe that began later succeeds.
func TestNotReadyAfterAFailure(t *testing.T) {
	for _, test := range []struct {
		why   string
		fails error
	}{
		{"a kind of the store's", queue.ErrUnreachable},
		{"an error without a kind", errors.New("input/output error")},
	} {
		synctest.Test(t, func(t *testing.T) {
			q, m := openMoody(t)
			early := make(chan struct{})
			m.be(nil, early)
			var puts sync.WaitGroup
			puts.Go(func() {
				if _, err := q.Put(t.Context(), queuetest.Group(1)); err != nil {
					t.Errorf("%s: the early put: %v", test.why, err)
				}
			})
			synctest.Wait()
			m.be(test.fails, nil)
			if _, err := q.Put(t.Context(), queuetest.Group(2)); !errors.Is(err, test.fails) {
				t.Errorf("%s: put: %v", test.why, err)
			}
			close(early)
			puts.Wait()
			late := make(chan struct{})
			m.be(nil, late)
			if err := q.Ready(t.Context()); !errors.Is(err, test.fails) {
				t.Errorf("%s: ready before anything has succeeded: error %v", test.why, err)
			}
			close(late)
			synctest.Wait()
			if err := q.Ready(t.Context()); err != nil {
				t.Errorf("%s: once the probe has succeeded: %v", test.why, err)
			}
		})
	}
}

// Ready answers soon even if the store hangs. After some seconds it counts as unreachable.
func TestReadyWaitsForNoStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, m := openMoody(t)
		if err := q.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		gate := make(chan struct{})
		m.be(nil, gate)
		time.Sleep(3 * time.Second)
		for began := time.Now(); time.Since(began) < 8*time.Second; {
			asked := time.Now()
			err := q.Ready(t.Context())
			if late := time.Since(began) >= 5*time.Second; errors.Is(err, queue.ErrUnreachable) != late {
				t.Errorf("after %s: error %v", time.Since(began), err)
			}
			if took := time.Since(asked); took > 500*time.Millisecond {
				t.Errorf("the answer took %s", took)
			}
		}
		m.be(nil, nil)
		close(gate)
		synctest.Wait()
		if err := q.Ready(t.Context()); err != nil {
			t.Errorf("once it answers: %v", err)
		}
	})
}

// Close waits for the probe.
func TestCloseWaitsForProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &moody{Memory: queue.NewMemory(), gate: make(chan struct{})}
		q, err := queue.Open(t.Context(), m, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := q.Ready(t.Context()); err != nil {
			t.Errorf("nothing is known: %v", err)
		}
		closed := make(chan error, 1)
		go func() { closed <- q.Close() }()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("closed while the probe is under way")
		default:
		}
		if err := q.Ready(t.Context()); !errors.Is(err, queue.ErrClosed) {
			t.Errorf("while it closes: %v", err)
		}
		close(m.gate)
		if err := <-closed; err != nil {
			t.Error(err)
		}
	})
}

// Every group set aside is reported, each time, and to later listeners too.
func TestOnUnreadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &unreadable{Memory: queue.NewMemory()}
		q, err := queue.Open(t.Context(), store, queue.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var told []queue.Unreadable
		tell := func(a queue.Unreadable) { told = append(told, a) }
		q.OnUnreadable(tell)
		if _, err := q.Put(t.Context(), queuetest.Group(1)); err != nil {
			t.Fatal(err)
		}
		for _, pause := range []time.Duration{time.Second, 2 * time.Second} {
			_, err := q.Lease(t.Context(), queue.Want{Consumer: "a"})
			if !errors.As(err, new(*queue.CorruptError)) || len(told) != 1 {
				t.Fatalf("error %v, told %v", err, told)
			}
			if a := told[0]; a.ID != queuetest.Group(1).ID || a.Seq != 1 || !errors.Is(a.Why, queue.ErrUnreadable) || !a.Again.Equal(time.Now().Add(pause)) {
				t.Errorf("told %+v", a)
			}
			told = nil
			q.OnUnreadable(tell)
			if len(told) != 1 || told[0].Seq != 1 {
				t.Errorf("a later listener is told %v", told)
			}
			told = nil
			time.Sleep(pause)
		}
		if err := q.Close(); err != nil {
			t.Error(err)
		}
	})
}

// An unreadable store reads no body.
type unreadable struct{ *queue.Memory }

func (unreadable) Body(context.Context, uint64) ([]byte, error) { return nil, queue.ErrUnreadable }
