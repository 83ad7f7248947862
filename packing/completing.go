package packing

import "slices"

// Completing returns the places of groups that together have exactly want sequences,
// in ascending order; none if there are none. It takes the oldest that fit, one after
// another; if these miss, it takes any that do not, newest first. It chooses as
// Atropos does: smaller groups than an environment registered are let go by it.
func Completing(sizes []int, want int) []int {
	all := []int{}
	sum := 0
	for i, size := range sizes {
		if sum+size <= want {
			all = append(all, i)
			sum += size
		}
		if sum == want {
			return all
		}
	}
	l := newLadder(max(0, want))
	for i, size := range sizes {
		if size > want {
			size = 0 // no sum of interest has it
		}
		l.push(item{Group{Sequences: size}, i})
	}
	if !l.reach(want) {
		return []int{}
	}
	all = all[:0]
	for i := len(sizes) - 1; i >= 0 && want > 0; i-- {
		if l.reachBy(want-sizes[i], i) {
			all = append(all, i)
			want -= sizes[i]
		}
	}
	slices.Reverse(all)
	return all
}
