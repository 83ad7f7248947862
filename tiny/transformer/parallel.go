package transformer

import (
	"runtime"
	"sync"
)

// workers returns the most goroutines worth passing to [parallel].
func workers() int { return runtime.GOMAXPROCS(0) }

// parallel calls f for every i from 0 to n-1, on up to most goroutines, and returns
// when all calls have returned. worker is the number of the calling goroutine, below
// most; callers index per-goroutine memory with it.
func parallel(n, most int, f func(worker, i int)) {
	it := &call{n: n, workers: min(n, most), f: f}
	var others sync.WaitGroup
	for worker := 1; worker < it.workers; worker++ {
		others.Go(func() { it.work(worker) })
	}
	it.work(0)
	others.Wait()
}
