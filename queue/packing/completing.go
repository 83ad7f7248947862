package packing

import "slices"

// Completing returns the indices of groups that together have exactly want sequences, in
// ascending order; none if there are no such groups. It takes each group that still fits,
// oldest first; if their sum is not want, it looks for one that is, newest first. This is
// Atropos' rule for groups that are smaller than their environment registered.
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
