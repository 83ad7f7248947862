package environment

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// The rule of Atropos' environments, by hand for groups of 8 and batches of 64.
func TestAllowed(t *testing.T) {
	tenth, half := 0.1, 0.5
	for _, test := range []struct {
		why     string
		minimum *float64
		status  LinkStatus
		want    int
	}{
		{"three batches of 8 groups, if nothing waits", nil, LinkStatus{Unallocated: 1, MaxGroup: 1}, 24},
		{"less the waiting groups, of any environment", nil, LinkStatus{Unallocated: 1, MaxGroup: 8, Queued: 10}, 14},
		{"nothing, if three batches wait", nil, LinkStatus{Unallocated: 1, MaxGroup: 8, Queued: 24}, 0},
		{"nothing, if more wait", nil, LinkStatus{Unallocated: 1, MaxGroup: 8, Queued: 30}, 0},
		{"only the share that others have not reserved", nil, LinkStatus{Unallocated: 0.5, MaxGroup: 8}, 12},
		{"nothing, if others have allocated all", nil, LinkStatus{Unallocated: 0, MaxGroup: 8}, 0},
		{"the minimum counts in addition", &half, LinkStatus{Unallocated: 0.5, MaxGroup: 8}, 24},
		{"the minimum alone, with a pack in reserve", &tenth, LinkStatus{Unallocated: 0, MaxGroup: 8}, 4},
		{"others fill the queue, and the minimum is not met", &tenth, LinkStatus{Unallocated: 0.9, MaxGroup: 8, Queued: 30, Own: 1}, 3},
		{"others fill the queue, and the minimum is met", &tenth, LinkStatus{Unallocated: 0.9, MaxGroup: 8, Queued: 30, Own: 3}, 0},
		{"in packs of the largest group that waits", &tenth, LinkStatus{Unallocated: 0, MaxGroup: 16}, 8},
	} {
		l := LinkLimits{GroupSize: 8, OffPolicy: 3, Minimum: test.minimum}
		if got := l.Allowed(test.status, 64); got != test.want {
			t.Errorf("%s: %d groups, want %d", test.why, got, test.want)
		}
	}
}

func TestRunning(t *testing.T) {
	for _, test := range []struct {
		why    string
		weight float64
		want   int
	}{
		{"all servers", 1, 8},
		{"a share of them", 0.25, 3},
		{"one at least", 0.01, 1},
		{"one if the hub says nothing that makes sense", -1, 1},
		{"more than all is all", 7, 8},
	} {
		if got := (LinkLimits{Workers: 8, Requests: 10}).running(test.weight); got != test.want {
			t.Errorf("%s: %d groups, want %d", test.why, got, test.want)
		}
	}
}

// Groups enter within the limits, and wait otherwise.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(2)
		ctx, stop := context.WithCancelCause(t.Context())
		in := make(chan error, 100)
		enter := func(n int) {
			for range n {
				go func() { in <- g.Enter(ctx) }()
			}
		}
		entered := func(why string, want int) {
			t.Helper()
			synctest.Wait()
			if len(in) != want {
				t.Errorf("%s: %d entered, want %d", why, len(in), want)
			}
			for len(in) > 0 {
				if err := <-in; err != nil {
					t.Error(err)
				}
			}
		}
		enter(20)
		entered("before the hub has said anything", 0)
		g.limit(6, 8)
		entered("2 of 6 were left by an earlier process", 4)
		g.Ended(false)
		entered("one was dropped", 1)
		g.Ended(true)
		entered("one is kept, and on its way", 0)
		g.leave(3)
		entered("three have come", 3)
		g.limit(100, 8)
		entered("8 at once", 2)
		g.hold(0.5)
		for range 4 {
			g.Ended(true)
		}
		entered("4 at once while the policy is examined", 0)
		g.hold(0)
		g.Ended(true)
		entered("none", 0)
		g.hold(1)
		entered("all again", 5)
		over := errors.New("over")
		stop(over)
		synctest.Wait()
		for len(in) > 0 {
			if err := <-in; !errors.Is(err, over) {
				t.Errorf("error %v, want the cause", err)
			}
		}
	})
}
