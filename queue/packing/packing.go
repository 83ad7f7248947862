// Package packing chooses the groups of a batch by their sizes and environments. It has no
// state: [Need.Pick] chooses among the groups that wait in a queue, and a [Plan] does so without a queue.
package packing

// A Group is the size and origin of a waiting group.
type Group struct {
	Env  int32 // the environment that sent it; -1: none
	Size int   // in the unit of the batch; below 1: never chosen
}

// Waiting is the waiting groups, oldest first. At may be called for only some of them, and
// repeatedly.
type Waiting interface {
	Len() int
	At(i int) Group
}

// A Unit is what a batch is counted in.
type Unit string

// The units.
const (
	Sequences Unit = "sequences"
	Episodes  Unit = "episodes"
	Groups    Unit = "groups"
)

// A Need is the demand of a batch.
type Need struct {
	Least, Most int // size of the batch, in the unit of the groups' sizes

	minimums []minimum // in the order of registration
	bounded  bool      // an environment has a minimum, perhaps 0
}

// A minimum is an environment's share of each batch.
type minimum struct {
	env  int32
	size int // 1 or more
}

// AddMinimum reserves a share of the batch for an environment. The share is clamped to 0 and
// 1; one of a size below 1 reserves nothing. Set Least first, and add shares in the order of
// registration.
func (n *Need) AddMinimum(env int32, share float64) {
	n.bounded = true
	if !(share > 0) { // NaN too
		return
	}
	if least := int(float64(n.Least) * min(1, share)); least > 0 {
		n.minimums = append(n.minimums, minimum{env, least})
	}
}

// Pack returns the indices of the groups of the next batch, in the order of delivery, or
// none if too few wait.
//
// The batch begins with the oldest group, so no group is passed over for
// ever. Environments get their minimums, and the oldest others that fit fill the batch. If
// they miss its size, Pack searches for groups that meet it, and without any returns a
// smaller batch. A group of Least or more makes a batch alone. An environment with a minimum
// and no groups blocks all batches.
func (n Need) Pack(waiting Waiting) []int {
	chosen := n.pack(waiting)
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
func all(waiting Waiting) func(yield func(item) bool) {
	return func(yield func(item) bool) {
		for i := range waiting.Len() {
			if !yield(item{waiting.At(i), i}) {
				return
			}
		}
	}
}
