package transformer

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// workers is the largest number of goroutines worth passing to [parallel].
func workers() int { return runtime.GOMAXPROCS(0) }

// parallel calls f for every i from 0 to n-1, on no more than most goroutines, and
// returns when all calls have returned. worker is the number of the goroutine that
// makes the call, below most; callers index per-goroutine memory with it.
func parallel(n, most int, f func(worker, i int)) {
	var next atomic.Int64
	work := func(worker int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(worker, i)
		}
	}
	var others sync.WaitGroup
	for worker := 1; worker < min(n, most); worker++ {
		others.Go(func() { work(worker) })
	}
	work(0)
	others.Wait()
}
