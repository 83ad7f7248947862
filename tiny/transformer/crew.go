package transformer

import (
	"runtime"
	"sync/atomic"
)

// A crew does what [parallel] does, for calls that take less time than it takes to wake a
// processor: after a call, its helpers look for the next one for a moment before they end.
// Only one goroutine may use it at a time.
type crew struct {
	call    atomic.Pointer[call] // the last one
	helpers []atomic.Bool        // whether the helper of a number, less one, is there
}

// A call is one of [parallel] or of [crew.do].
type call struct {
	n, workers int
	f          func(worker, i int)
	next       atomic.Int64 // index that nobody has taken
	done       atomic.Int64 // indices
}

// newCrew returns a crew of as many goroutines as are worth it.
func newCrew() *crew { return &crew{helpers: make([]atomic.Bool, workers()-1)} }

// size is the number of goroutines, with the caller of do.
func (c *crew) size() int { return len(c.helpers) + 1 }

// do calls f for every i from 0 to n-1 and returns when all calls have returned. worker is
// the number of the goroutine that makes the call, below size.
func (c *crew) do(n int, f func(worker, i int)) {
	if n == 0 {
		return
	}
	it := &call{n: n, workers: min(n, c.size()), f: f}
	c.call.Store(it)
	for i := range it.workers - 1 {
		if c.helpers[i].CompareAndSwap(false, true) {
			go c.help(i + 1)
		}
	}
	it.work(0)
	for spins := 1; it.done.Load() < int64(n); spins++ {
		if spins%patience == 0 {
			runtime.Gosched()
		}
	}
}

// work makes calls while there are any left.
func (it *call) work(worker int) {
	made := int64(0)
	for i := it.next.Add(1) - 1; i < int64(it.n); i = it.next.Add(1) - 1 {
		it.f(worker, int(i))
		made++
	}
	it.done.Add(made)
}

// A goroutine that looks for work lets others run after so many looks, a microsecond or two,
// and ends after so many times. It does not ask for the time, which may stand still in a
// test.
const (
	patience = 1_000
	rounds   = 200
)

// help is a helper.
func (c *crew) help(worker int) {
	defer c.helpers[worker-1].Store(false)
	var last *call
	for spins := 1; spins < patience*rounds; spins++ {
		if it := c.call.Load(); it != last {
			if last, spins = it, 0; worker < it.workers {
				it.work(worker)
			}
		}
		if spins%patience == 0 {
			runtime.Gosched()
		}
	}
}
