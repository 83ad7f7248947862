package packing

import "slices"

// Completing returns the ascending indices of groups with exactly want sequences together,
// or none. It takes each group that still fits, oldest first; if their sum is not want, it
// searches for one that is, newest first. This is Atropos' rule for groups smaller than
// their environment registered.
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
			size = 0 // it cannot be part of the sum
		}
		l.push(item{Group{Size: size}, i})
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
