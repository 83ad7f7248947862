package hub

import (
	"slices"

	"github.com/quintain-rl/quintain/queue"
)

// A need says what a batch must hold.
type need struct {
	sequences int       // in all, exactly
	minimums  []minimum // that must be met, in the order of registration
	bound     bool      // an environment has a minimum, if only of nothing
	strict    bool      // as the original does it
}

// A minimum is a part of each batch that is an environment's.
type minimum struct {
	env       int32
	sequences int // 1 or more
}

// addMinimum adds an environment's part of a batch; one of less than a sequence
// imposes nothing.
func (n *need) addMinimum(env int32, part float64) {
	n.bound = true
	if least := int(float64(n.sequences) * part); least > 0 {
		n.minimums = append(n.minimums, minimum{env, least})
	}
}

// pack returns the groups of the next batch in the order in which they wait, or
// none where no batch can be made of what waits. A group that fits into no batch
// keeps no other from being packed.
func pack(waiting []queue.Entry, n need) []queue.Entry {
	switch {
	case n.strict:
		return packStrict(waiting, n)
	case len(n.minimums) == 0:
		return packExact(waiting, n.sequences)
	}
	return packMinimums(waiting, n)
}

// packExact takes groups with the given number of sequences in all, of the oldest
// groups with which that can be done. Among those it prefers to leave out the
// newer.
func packExact(waiting []queue.Entry, sequences int) []queue.Entry {
	l := newLadder(sequences)
	for _, e := range waiting {
		if l.add(e); l.reach(sequences) {
			return l.take(sequences)
		}
	}
	return nil
}

// packMinimums takes groups so that each environment has its minimum. It hands
// out nothing while one of them has nothing waiting.
func packMinimums(waiting []queue.Entry, n need) []queue.Entry {
	usable := fitting(waiting, n.sequences)
	minimums := scaled(n, usable)
	for _, m := range minimums {
		if !slices.ContainsFunc(usable, func(e queue.Entry) bool { return e.EnvID == m.env }) {
			return nil
		}
	}
	all, met := packGreedy(usable, need{sequences: n.sequences, minimums: minimums})
	if met {
		return all
	}
	if parts := packParts(usable, need{sequences: n.sequences, minimums: minimums}); parts != nil {
		return parts
	}
	return all
}

// fitting returns the groups that could be a part of the next batch, were there
// enough of each size that waits: of each environment and size the oldest, as many
// as a batch can hold.
func fitting(waiting []queue.Entry, sequences int) []queue.Entry {
	type kind struct {
		env  int32
		size int
	}
	var sizes []int
	for i := range waiting {
		if !slices.Contains(sizes, waiting[i].Sequences) {
			sizes = append(sizes, waiting[i].Sequences)
		}
	}
	fits := packable(sequences, sizes)
	sizes = slices.DeleteFunc(sizes, func(size int) bool { return !fits(size) })
	var usable []queue.Entry
	used := make(map[kind]int)
	for i := range waiting {
		k := kind{waiting[i].EnvID, waiting[i].Sequences}
		if slices.Contains(sizes, k.size) && (used[k]+1)*k.size <= sequences {
			used[k]++
			usable = append(usable, waiting[i])
		}
	}
	return usable
}

// packable tells of a size whether batches of the given number of sequences can
// have groups of that size in them, where no groups but of the given sizes come.
func packable(sequences int, sizes []int) func(size int) bool {
	can := newSums(sequences)
	can.set(0)
	for _, size := range sizes {
		for at := 0; size > 0 && at+size <= sequences; at++ {
			if can.has(at) {
				can.set(at + size)
			}
		}
	}
	return func(size int) bool { return size > 0 && size <= sequences && can.has(sequences-size) }
}

// scaled returns the minimums of n, made smaller in proportion where together they
// are more than a batch, but none smaller than the environment's smallest group.
func scaled(n need, usable []queue.Entry) []minimum {
	total := 0
	for _, m := range n.minimums {
		total += m.sequences
	}
	if total <= n.sequences {
		return n.minimums
	}
	out := slices.Clone(n.minimums)
	for i, m := range out {
		smallest := 0
		for _, e := range usable {
			if e.EnvID == m.env && (smallest == 0 || e.Sequences < smallest) {
				smallest = e.Sequences
			}
		}
		out[i].sequences = max(smallest, m.sequences*n.sequences/total)
	}
	return out
}

// packGreedy gives each environment in turn its oldest groups until it has its
// minimum, and then fills the batch with the oldest that fit. It returns nil where
// that does not fill it exactly, and whether all minimums are met.
func packGreedy(usable []queue.Entry, n need) (all []queue.Entry, met bool) {
	taken, sum := make([]bool, len(usable)), 0
	met = true
	for _, m := range n.minimums {
		got := 0
		for i, e := range usable {
			if got >= m.sequences {
				break
			}
			if e.EnvID == m.env && sum+e.Sequences <= n.sequences {
				taken[i] = true
				got += e.Sequences
				sum += e.Sequences
			}
		}
		met = met && got >= m.sequences
	}
	for i, e := range usable {
		if !taken[i] && sum+e.Sequences <= n.sequences {
			taken[i] = true
			sum += e.Sequences
		}
	}
	if sum != n.sequences {
		return nil, false
	}
	for i, e := range usable {
		if taken[i] {
			all = append(all, e)
		}
	}
	return all, met
}

// packParts finds a batch that meets the minimums wherever there is one, by trying
// all sums: which each environment's groups can have, and which they can have
// together. Environments get as little above their minimum as will do, and the
// later ones first.
func packParts(usable []queue.Entry, n need) []queue.Entry {
	parts := []part{{newLadder(n.sequences), 0}} // all that have no minimum
	place := make(map[int32]int)
	for _, m := range n.minimums {
		place[m.env] = len(parts)
		parts = append(parts, part{newLadder(n.sequences), m.sequences})
	}
	for _, e := range usable {
		parts[place[e.EnvID]].add(e)
	}
	together := []sums{newSums(n.sequences)}
	together[0].set(0)
	for i, p := range parts {
		next := newSums(n.sequences)
		for sum := p.least; sum <= n.sequences; sum++ {
			if p.reach(sum) {
				next.addShifted(together[i], sum)
			}
		}
		together = append(together, next)
	}
	if !together[len(parts)].has(n.sequences) {
		return nil
	}
	var all []queue.Entry
	rest := n.sequences
	for i := len(parts) - 1; i >= 0; i-- {
		p, sum := parts[i], parts[i].least
		for !p.reach(sum) || !together[i].has(rest-sum) {
			sum++
		}
		all = append(all, p.take(sum)...)
		rest -= sum
	}
	slices.SortFunc(all, func(a, b queue.Entry) int { return int(a.Seq) - int(b.Seq) })
	return all
}

// A part of a batch is made of some of the groups.
type part struct {
	*ladder
	least int // sequences
}

// A ladder knows which sums the sizes of groups can have, and which groups make
// one.
type ladder struct {
	most   int           // the highest sum of interest
	groups []queue.Entry // in the order in which they were added
	rungs  []sums        // rungs[i] has the sums of some of groups[:i]
	used   map[int]int   // groups of each size
}

func newLadder(most int) *ladder {
	bottom := newSums(most)
	bottom.set(0)
	return &ladder{most: most, rungs: []sums{bottom}, used: make(map[int]int)}
}

// add adds a group. One that is too large, or that comes after all of its size that
// a sum can hold, makes no difference and is left out: the cost does not grow with
// the number of groups.
func (l *ladder) add(e queue.Entry) {
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

// take returns groups with sum sequences, in the order in which they were added;
// where there is a choice it leaves out the later. The sum can be reached.
func (l *ladder) take(sum int) []queue.Entry {
	var all []queue.Entry
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

// addShifted adds each number of other, more by the given amount, as far as it is
// in the range of s. The sets are of one size.
func (s sums) addShifted(other sums, by int) {
	words, bits := by/64, by%64
	for i := len(s) - 1; i >= words; i-- {
		s[i] |= other[i-words] << bits
		if bits > 0 && i > words {
			s[i] |= other[i-words-1] >> (64 - bits)
		}
	}
}

// completing returns groups that together have as many sequences as a group must,
// as indices in rising order: the oldest that fit, one after another, or else, where
// that misses, any, the newest first. It chooses as the original does.
func completing(sizes []int, want int) []int {
	var all []int
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
		return nil
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
