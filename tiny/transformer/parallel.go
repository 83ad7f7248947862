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

// A team is who does the arithmetic of a step: one goroutine, or all processors.
type team struct {
	pool   *workerPool // nil: one goroutine
	worker int         // its number
}

// each calls f for every i from 0 to n-1, with the number of the goroutine that calls it.
func (t team) each(n int, f func(worker, i int)) {
	if t.pool != nil {
		t.pool.do(n, f)
		return
	}
	for i := range n {
		f(t.worker, i)
	}
}

// rows calls f for ranges of rows that together make n.
func (t team) rows(n int, f func(lo, hi int)) {
	if t.pool == nil {
		f(0, n)
		return
	}
	const most = 16
	t.pool.do((n+most-1)/most, func(_, i int) { f(i*most, min((i+1)*most, n)) })
}

// The sizes of a part of a product of a team with several processors: it should stay in the cache, and there
// should be enough of them.
const (
	partRows   = 128
	partPanels = 4
	partInner  = 1024
)

// multiply sets c to a·b, or adds a·b to c. If b holds pairs, so does a.
func (t team) multiply(c, a matrix, b *packing, add bool) {
	if t.pool == nil {
		multiply(c, a, b, add)
		return
	}
	mul := mulPanels
	if b.pairs {
		mul = mulPairs
	}
	across := (b.panels() + partPanels - 1) / partPanels
	down := (a.rows + partRows - 1) / partRows
	t.pool.do(across*down, func(_, i int) {
		lo, hi := i%down*partRows, min((i%down+1)*partRows, a.rows)
		panel := i / down * partPanels
		part := panels{n: min(partPanels, b.panels()-panel), stride: lanes, apart: b.rows() * lanes}
		to := c.between(lo, hi).columns(panel*lanes, part.n*lanes)
		for k := 0; k < b.rows(); k += partInner {
			part.rows = min(partInner, b.rows()-k)
			part.data = b.data[panel*part.apart+k*lanes:]
			mul(to, a.between(lo, hi).columns(k, part.rows).factor(), part, add || k > 0)
		}
	})
}
