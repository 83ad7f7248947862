package transformer

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestCrewMakesEveryCallOnce makes calls of many sizes, one after another, also while helpers
// come and go.
func TestCrewMakesEveryCallOnce(t *testing.T) {
	t.Parallel()
	c := &crew{helpers: make([]atomic.Bool, 3)}
	for n := range 200 {
		made := make([]int, n) // the race detector sees two calls of one index
		var busy [4]atomic.Bool
		c.do(n, func(worker, i int) {
			if busy[worker].Swap(true) {
				t.Errorf("%d calls: two at once are worker %d", n, worker)
			}
			made[i]++
			busy[worker].Store(false)
		})
		for i, times := range made {
			if times != 1 {
				t.Fatalf("%d calls: %d was made %d times", n, i, times)
			}
		}
		if n%20 == 0 {
			waitForHelpers(c)
		}
	}
}

// waitForHelpers returns when all helpers have ended.
func waitForHelpers(c *crew) {
	for i := range c.helpers {
		for c.helpers[i].Load() {
			runtime.Gosched()
		}
	}
}

// TestHelpersEnd lets a crew go where time stands still: the bubble ends when its goroutines
// have ended.
func TestHelpersEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) {
		c := &crew{helpers: make([]atomic.Bool, 2)}
		c.do(100, func(int, int) {})
	})
}

// TestCrewOfOne works without helpers.
func TestCrewOfOne(t *testing.T) {
	t.Parallel()
	c, sum := &crew{}, 0
	c.do(10, func(worker, i int) { sum += worker + i })
	if sum != 45 {
		t.Errorf("sum %d, want 45", sum)
	}
}
