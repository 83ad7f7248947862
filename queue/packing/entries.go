package packing

import "github.com/quintain-rl/quintain/queue"

// Pick returns the groups of the next batch, of those that wait in a queue, oldest first. Size is that of a
// group in the unit of the batch, or below 1 if the group is not to be chosen. See [Need.Pack].
func (n Need) Pick(waiting []queue.Entry, size func(*queue.Entry) int) (picked []queue.Entry) {
	for _, at := range n.Pack(&entries{waiting, size}) {
		picked = append(picked, waiting[at])
	}
	return picked
}

// entries are the groups that wait in a queue.
type entries struct {
	waiting []queue.Entry
	size    func(*queue.Entry) int
}

// Len implements [Waiting].
func (e *entries) Len() int { return len(e.waiting) }

// At implements [Waiting].
func (e *entries) At(i int) Group {
	of := &e.waiting[i]
	return Group{Env: of.EnvID, Size: e.size(of)}
}
