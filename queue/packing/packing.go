// Package packing chooses the groups of a batch by their sizes and environments. It has no
// state: [Need.Pack] chooses among waiting groups, and a [Plan] does so without a queue.
package packing

// A Group is the size and origin of a waiting group.
type Group struct {
	Env       int32 // the environment that sent it; -1: none
	Sequences int   // below 1: never chosen
}

// Groups are the waiting groups, oldest first. At may be called for only some of them, and
// repeatedly.
type Groups interface {
	Len() int
	At(i int) Group
}

// A Need is the demand of a batch.
type Need struct {
	Sequences int  // exact total
	Strict    bool // choose as Atropos does; see strict.go

	minimums []minimum // in the order of registration
	bounded  bool      // an environment has a minimum, perhaps 0
}

// A minimum is an environment's share of each batch.
type minimum struct {
	env       int32
	sequences int // 1 or more
}

// AddMinimum reserves a share of the batch for an environment. The share is clamped to 0 and
// 1; one of less than a sequence reserves nothing. Set Sequences first, and add shares in
// the order of registration.
func (n *Need) AddMinimum(env int32, share float64) {
	n.bounded = true
	if !(share > 0) { // NaN too
		return
	}
	if least := int(float64(n.Sequences) * min(1, share)); least > 0 {
		n.minimums = append(n.minimums, minimum{env, least})
	}
}

// Pack returns the indices of the groups of the next batch, in the order of delivery, or
// none if the waiting groups do not make a batch. A group that fits no batch does not block
// others.
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

// An item is a waiting group with its index.
type item struct {
	Group
	at int
}

// all yields every waiting group.
func all(waiting Groups) func(yield func(item) bool) {
	return func(yield func(item) bool) {
		for i := range waiting.Len() {
			if !yield(item{waiting.At(i), i}) {
				return
			}
		}
	}
}
