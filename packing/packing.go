// Package packing chooses which groups make a batch, by their sizes and by the
// environments that sent them. It holds no state: [Need.Pack] chooses among the groups
// that wait, and [Plan] asks the same without a queue.
package packing

// A Group is what packing needs to know of a group that waits.
type Group struct {
	Env       int32 // id of the environment that sent it; -1: none
	Sequences int   // below 1: it is never chosen
}

// Groups are the groups that wait, oldest first. At is called for as many of them as
// the choice needs, for some more than once.
type Groups interface {
	Len() int
	At(i int) Group
}

// A Need says what a batch must hold.
type Need struct {
	Sequences int  // in all, exactly
	Strict    bool // choose as Atropos does; see strict.go

	minimums []minimum // that must be met, in the order of registration
	bounded  bool      // an environment has a minimum, even if it is 0
}

// A minimum is an environment's share of each batch.
type minimum struct {
	env       int32
	sequences int // 1 or more
}

// AddMinimum reserves a share of the batch, 0 to 1, for an environment. A share beyond
// these counts as the nearer of them, and one of less than one sequence reserves nothing. Shares are added in the order of registration,
// after Sequences is set.
func (n *Need) AddMinimum(env int32, share float64) {
	n.bounded = true
	if !(share > 0) { // NaN too
		return
	}
	if least := int(float64(n.Sequences) * min(1, share)); least > 0 {
		n.minimums = append(n.minimums, minimum{env, least})
	}
}

// Pack returns the places of the groups of the next batch, in the order in which they
// are handed out; none if no batch can be made of what waits. A group that fits into
// no batch does not keep others from being packed.
func (n Need) Pack(waiting Groups) []int {
	var chosen []item
	switch {
	case n.Strict:
		chosen = n.packStrict(waiting)
	case len(n.minimums) == 0:
		chosen = packExact(waiting, n.Sequences)
	default:
		chosen = n.packMinimums(waiting)
	}
	places := make([]int, len(chosen))
	for i, e := range chosen {
		places[i] = e.at
	}
	return places
}

// An item is a group with its place among those that wait.
type item struct {
	Group
	at int
}

// all returns every group that waits.
func all(waiting Groups) func(yield func(item) bool) {
	return func(yield func(item) bool) {
		for i := range waiting.Len() {
			if !yield(item{waiting.At(i), i}) {
				return
			}
		}
	}
}
