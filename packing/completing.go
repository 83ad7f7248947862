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
	rungs := []sums{newSums(max(0, want))}
	rungs[0].set(0)
	for i, size := range sizes {
		next := slices.Clone(rungs[i])
		if size <= want {
			next.addShifted(rungs[i], size)
		}
		rungs = append(rungs, next)
	}
	if !rungs[len(sizes)].has(want) {
		return []int{}
	}
	all = all[:0]
	for i := len(sizes) - 1; i >= 0 && want > 0; i-- {
		if rungs[i].has(want - sizes[i]) {
			all = append(all, i)
			want -= sizes[i]
		}
	}
	slices.Reverse(all)
	return all
}
