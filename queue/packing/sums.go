package packing

import (
	"math/bits"
	"slices"
)

// A ladder knows the sums of sequences that its groups can have, and groups for each sum: a
// table of subset sums. Its size grows with the sequences of its groups, not with the wanted
// sum.
type ladder struct {
	most   int         // the highest sum of interest
	top    int         // the highest possible sum, up to most
	groups []item      // in the order of addition
	sums   sums        // possible sums
	since  []int32     // by sum: the number of groups when it became possible
	used   map[int]int // number of groups of each size
}

func newLadder(most int) *ladder {
	bottom := newSums(0)
	bottom.set(0)
	return &ladder{most: most, sums: bottom, since: []int32{0}, used: make(map[int]int)}
}

// add adds a group, unless it is too large or a sum cannot use another of its size. So the
// cost does not grow with the number of groups.
func (l *ladder) add(e item) {
	if e.Size <= 0 || e.Size > l.most || l.used[e.Size] >= l.most/e.Size {
		return
	}
	l.used[e.Size]++
	l.push(e)
}

// push adds a group of 0 to l.most sequences.
func (l *ladder) push(e item) {
	l.groups = append(l.groups, e)
	l.top += min(e.Size, l.most-l.top)
	l.sums = append(l.sums, make(sums, l.top/64+1-len(l.sums))...)
	l.since = append(l.since, make([]int32, l.top+1-len(l.since))...)
	l.sums.shift(e.Size, func(sum int) {
		if sum <= l.top {
			l.since[sum] = int32(len(l.groups))
		}
	})
}

// reach reports whether some of the groups have sum sequences.
func (l *ladder) reach(sum int) bool { return l.reachBy(sum, len(l.groups)) }

// reachBy is reach for the first n groups.
func (l *ladder) reachBy(sum, n int) bool {
	return sum >= 0 && sum <= l.top && l.sums.has(sum) && int(l.since[sum]) <= n
}

// take returns groups with sum sequences, in the order of addition. If there is a choice, it
// leaves out later ones. The sum must be reachable.
func (l *ladder) take(sum int) []item {
	var all []item
	for i := len(l.groups) - 1; i >= 0; i-- {
		if !l.reachBy(sum, i) {
			all = append(all, l.groups[i])
			sum -= l.groups[i].Size
		}
	}
	slices.Reverse(all)
	return all
}

// from returns the possible sums from least on, as a set up to l.most.
func (l *ladder) from(least int) sums {
	set := newSums(l.most)
	for sum := least; sum <= l.top; sum++ {
		if l.reach(sum) {
			set.set(sum)
		}
	}
	return set
}

// sums is a set of small numbers, a bit for each.
type sums []uint64

// newSums returns an empty set for numbers from 0 to most.
func newSums(most int) sums { return make(sums, most/64+1) }

func (s sums) set(n int) { s[n/64] |= 1 << (n % 64) }

func (s sums) has(n int) bool { return n >= 0 && n/64 < len(s) && s[n/64]&(1<<(n%64)) != 0 }

// addShifted adds each number of other plus by, if it is in the range. Both sets have the
// same range.
func (s sums) addShifted(other sums, by int) {
	words, odd := by/64, by%64
	for i := len(s) - 1; i >= words; i-- {
		s[i] |= other[i-words] << odd
		if odd > 0 && i > words {
			s[i] |= other[i-words-1] >> (64 - odd)
		}
	}
}

// shift adds each number of s plus by, if it is in the range, and calls fresh for each new
// one. Numbers of the last word may be slightly out of the range.
func (s sums) shift(by int, fresh func(n int)) {
	words, odd := by/64, by%64
	for i := len(s) - 1; i >= words; i-- {
		moved := s[i-words] << odd
		if odd > 0 && i > words {
			moved |= s[i-words-1] >> (64 - odd)
		}
		moved &^= s[i]
		for s[i] |= moved; moved != 0; moved &= moved - 1 {
			fresh(64*i + bits.TrailingZeros64(moved))
		}
	}
}

// plus returns the sums of each number of s and each of other, in the range. Both sets have
// the same range.
func (s sums) plus(other sums) sums {
	if s.count() > other.count() {
		s, other = other, s
	}
	result := make(sums, len(s))
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			result.addShifted(other, 64*i+bits.TrailingZeros64(word))
		}
	}
	return result
}

// count is the number of elements.
func (s sums) count() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}
