package transformer

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// TestWorkersMakeEveryCallOnce makes calls of many sizes in turn, also while workers come
// and go.
func TestWorkersMakeEveryCallOnce(t *testing.T) {
	t.Parallel()
	p := &workerPool{running: make([]atomic.Bool, 3)}
	for n := range 200 {
		made := make([]int, n) // the race detector sees two calls of one index
		var busy [4]atomic.Bool
		p.do(n, func(worker, i int) {
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
			waitForWorkers(p)
		}
	}
}

// waitForWorkers returns when all workers have ended.
func waitForWorkers(p *workerPool) {
	for i := range p.running {
		for p.running[i].Load() {
			runtime.Gosched()
		}
	}
}

// TestWorkersEnd abandons a pool while time stands still: the bubble ends only after its
// goroutines.
func TestWorkersEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(*testing.T) {
		p := &workerPool{running: make([]atomic.Bool, 2)}
		p.do(100, func(int, int) {})
	})
}

// TestPoolOfOne has no worker but the caller.
func TestPoolOfOne(t *testing.T) {
	t.Parallel()
	p, sum := &workerPool{}, 0
	p.do(10, func(worker, i int) { sum += worker + i })
	if sum != 45 {
		t.Errorf("sum %d, want 45", sum)
	}
}
