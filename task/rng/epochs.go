package rng

import (
	"slices"
	"strconv"
	"sync"
)

// Epochs goes through rows again and again, each time in another order, which follows from a
// seed. Many goroutines may use it; it is quick for those that are in the same pass.
type Epochs struct {
	Rows int      // their number, 1 or more
	Path []string // of the streams; see [New]

	mu     sync.Mutex
	seed   uint64 // of order
	number int    // of order's pass
	order  []int  // nil: none yet
}

// Row returns the row of an index, 0 or more, under a seed.
func (e *Epochs) Row(seed uint64, index int) int {
	number := index / e.Rows
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.order == nil || e.seed != seed || e.number != number {
		order := make([]int, e.Rows)
		for i := range order {
			order[i] = i
		}
		Shuffle(New(seed, append(slices.Clip(e.Path), strconv.Itoa(number))...), order)
		e.seed, e.number, e.order = seed, number, order
	}
	return e.order[index%e.Rows]
}
