package packing

import "slices"

// A ladder knows which sums its groups can have, and which groups make up each sum. Sums
// are numbers of sequences.
type ladder struct {
	most   int         // the highest sum of interest
	groups []item      // in the order in which they were added
	rungs  []sums      // rungs[i] has the sums of the subsets of groups[:i]
	used   map[int]int // groups of each size
}

func newLadder(most int) *ladder {
	bottom := newSums(most)
	bottom.set(0)
	return &ladder{most: most, rungs: []sums{bottom}, used: make(map[int]int)}
}

// add adds a group, unless it makes no difference because it is too large, or because there
// are already as many of its size as a sum can have. So the cost does not grow with the
// number of groups.
func (l *ladder) add(e item) {
	if e.Sequences <= 0 || (l.used[e.Sequences]+1)*e.Sequences > l.most {
		return
	}
	l.used[e.Sequences]++
	top := l.rungs[len(l.rungs)-1]
	next := slices.Clone(top)
	next.addShifted(top, e.Sequences)
	l.groups = append(l.groups, e)
	l.rungs = append(l.rungs, next)
}

// reach reports whether some of the groups have sum sequences.
func (l *ladder) reach(sum int) bool { return l.rungs[len(l.rungs)-1].has(sum) }

// take returns groups with sum sequences, in the order in which they were added. If
// there is a choice it leaves out the later ones. The sum must be reachable.
func (l *ladder) take(sum int) []item {
	var all []item
	for i := len(l.groups) - 1; i >= 0; i-- {
		if !l.rungs[i].has(sum) {
			all = append(all, l.groups[i])
			sum -= l.groups[i].Sequences
		}
	}
	slices.Reverse(all)
	return all
}

// sums is a set of small numbers, a bit for each.
type sums []uint64

// newSums returns an empty set of numbers from 0 to most.
func newSums(most int) sums { return make(sums, most/64+1) }

func (s sums) set(n int) { s[n/64] |= 1 << (n % 64) }

func (s sums) has(n int) bool { return n >= 0 && n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// addShifted adds each number of other, increased by the given amount, if it is in the
// range of s. Both sets have the same range.
func (s sums) addShifted(other sums, by int) {
	words, bits := by/64, by%64
	for i := len(s) - 1; i >= words; i-- {
		s[i] |= other[i-words] << bits
		if bits > 0 && i > words {
			s[i] |= other[i-words-1] >> (64 - bits)
		}
	}
}
