package transformer

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// workers is the number of goroutines that [parallel] uses at most.
func workers() int { return runtime.GOMAXPROCS(0) }

// parallel calls f for every i from 0 to n-1, on as many goroutines as there are
// processors, and returns when all calls have. A call is also told the number of
// its goroutine, below most: what belongs to a goroutine alone is kept by it.
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
