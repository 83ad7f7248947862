package transformer

import (
	"runtime"
	"sync/atomic"
)

// A workerPool does the same as [parallel], for calls that take less time than waking a
// processor: after a call, its workers spin for a moment in case another follows, then end.
// Only one goroutine may use it at a time.
type workerPool struct {
	call    atomic.Pointer[call] // the last one
	running []atomic.Bool        // by worker, from 1; worker 0 is the caller
}

// A call is one of [parallel] or of [workerPool.do].
type call struct {
	n, workers int
	f          func(worker, i int)
	next       atomic.Int64 // first index not yet taken
	done       atomic.Int64 // finished indices
}

// newWorkerPool returns a pool with as many goroutines as pay off.
func newWorkerPool() *workerPool { return &workerPool{running: make([]atomic.Bool, workers()-1)} }

// size returns the number of goroutines, with the caller of do.
func (p *workerPool) size() int { return len(p.running) + 1 }

// do calls f for every i from 0 to n-1 and returns when all calls have returned. worker is
// the number of the calling goroutine, below size.
func (p *workerPool) do(n int, f func(worker, i int)) {
	if n == 0 {
		return
	}
	it := &call{n: n, workers: min(n, p.size()), f: f}
	p.call.Store(it)
	for i := range it.workers - 1 {
		if p.running[i].CompareAndSwap(false, true) {
			go p.run(i + 1)
		}
	}
	it.work(0)
	for spins := 1; it.done.Load() < int64(n); spins++ {
		if spins%patience == 0 {
			runtime.Gosched()
		}
	}
}

// work makes calls until none are left.
func (it *call) work(worker int) {
	made := int64(0)
	for i := it.next.Add(1) - 1; i < int64(it.n); i = it.next.Add(1) - 1 {
		it.f(worker, int(i))
		made++
	}
	it.done.Add(made)
}

// A spinning goroutine yields after patience looks, a microsecond or two, and ends after
// rounds of them. It does not read the clock, which may stand still in a test.
const (
	patience = 1_000
	rounds   = 200
)

// run is a worker: it works on calls until none comes for a while.
func (p *workerPool) run(worker int) {
	defer p.running[worker-1].Store(false)
	var last *call
	for spins := 1; spins < patience*rounds; spins++ {
		if it := p.call.Load(); it != last {
			if last, spins = it, 0; worker < it.workers {
				it.work(worker)
			}
		}
		if spins%patience == 0 {
			runtime.Gosched()
		}
	}
}
