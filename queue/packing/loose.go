package packing

import (
	"maps"
	"slices"
)

// packExact takes groups with exactly sequences sequences, from as few of the oldest groups
// as possible. If there is a choice, it leaves out newer ones.
func packExact(waiting Groups, sequences int) []item {
	l := newLadder(sequences)
	for e := range all(waiting) {
		if l.add(e); l.reach(sequences) {
			return l.take(sequences)
		}
	}
	return nil
}

// packMinimums takes groups so that each environment has its minimum, or none if an
// environment with a minimum has no group that fits.
func (n Need) packMinimums(waiting Groups) []item {
	usable := fitting(waiting, n.Sequences)
	n.minimums = n.scaled(usable)
	for _, m := range n.minimums {
		if !slices.ContainsFunc(usable, func(e item) bool { return e.Env == m.env }) {
			return nil
		}
	}
	chosen, met := n.packGreedy(usable)
	if met {
		return chosen
	}
	if parts := n.packParts(usable); parts != nil {
		return parts
	}
	return chosen
}

// fitting returns the groups of sizes that could be part of a batch if each size had enough
// groups: the oldest of each environment and size, as many as fit a batch. It returns none
// if all groups together do not make a batch.
func fitting(waiting Groups, sequences int) []item {
	total, sizes := 0, make(map[int]bool)
	for e := range all(waiting) {
		if e.Sequences > 0 && e.Sequences <= sequences {
			total += e.Sequences
			sizes[e.Sequences] = true
		}
	}
	if total < sequences {
		return nil
	}
	fits := Packable(sequences, slices.Collect(maps.Keys(sizes)))
	for size := range sizes {
		sizes[size] = fits(size)
	}
	var usable []item
	used := make(map[Group]int)
	for e := range all(waiting) {
		if sizes[e.Sequences] && used[e.Group] < sequences/e.Sequences {
			used[e.Group]++
			usable = append(usable, e)
		}
	}
	return usable
}

// maxPackable is the largest batch that [Packable] examines.
const maxPackable = 1 << 24

// Packable returns a function that reports whether a batch with this many sequences can
// contain a group of a size, if all groups have one of sizes. For very large batches it
// reports true.
func Packable(sequences int, sizes []int) func(size int) bool {
	if sequences > maxPackable {
		return func(size int) bool { return size > 0 && size <= sequences }
	}
	can := newSums(sequences)
	can.set(0)
	for _, size := range sizes {
		if size <= 0 || can.has(size) { // the rest of the sum is possible
			continue
		}
		for by := size; by <= sequences; by *= 2 {
			can.addShifted(can, by)
		}
	}
	return func(size int) bool { return size > 0 && size <= sequences && can.has(sequences-size) }
}

// scaled returns the minimums of n. If they exceed the batch, it scales them down in
// proportion, but none below the environment's smallest group.
func (n Need) scaled(usable []item) []minimum {
	total := 0
	for _, m := range n.minimums {
		total += m.sequences
	}
	if total <= n.Sequences {
		return n.minimums
	}
	out := slices.Clone(n.minimums)
	for i, m := range out {
		smallest := 0
		for _, e := range usable {
			if e.Env == m.env && (smallest == 0 || e.Sequences < smallest) {
				smallest = e.Sequences
			}
		}
		out[i].sequences = max(smallest, m.sequences*n.Sequences/total)
	}
	return out
}

// packGreedy gives each environment in turn its oldest groups up to its minimum, then fills
// the batch with the oldest groups that fit. It returns nil if the batch is not exactly
// full, and whether all minimums are met.
func (n Need) packGreedy(usable []item) (chosen []item, met bool) {
	taken, sum := make([]bool, len(usable)), 0
	met = true
	for _, m := range n.minimums {
		got := 0
		for i, e := range usable {
			if got >= m.sequences {
				break
			}
			if e.Env == m.env && sum+e.Sequences <= n.Sequences {
				taken[i] = true
				got += e.Sequences
				sum += e.Sequences
			}
		}
		met = met && got >= m.sequences
	}
	for i, e := range usable {
		if !taken[i] && sum+e.Sequences <= n.Sequences {
			taken[i] = true
			sum += e.Sequences
		}
	}
	if sum != n.Sequences {
		return nil, false
	}
	for i, e := range usable {
		if taken[i] {
			chosen = append(chosen, e)
		}
	}
	return chosen, met
}

// packParts finds a batch that meets the minimums, if there is one, by trying all sums of
// each environment's groups and all sums of these. Environments get as little above their
// minimum as possible, later ones first.
func (n Need) packParts(usable []item) []item {
	parts := []part{{newLadder(n.Sequences), 0}} // groups without a minimum
	place := make(map[int32]int)
	for _, m := range n.minimums {
		place[m.env] = len(parts)
		parts = append(parts, part{newLadder(n.Sequences), m.sequences})
	}
	for _, e := range usable {
		parts[place[e.Env]].add(e)
	}
	together := []sums{newSums(n.Sequences)}
	together[0].set(0)
	for i, p := range parts {
		together = append(together, together[i].plus(p.from(p.least)))
	}
	if !together[len(parts)].has(n.Sequences) {
		return nil
	}
	var chosen []item
	rest := n.Sequences
	for i := len(parts) - 1; i >= 0; i-- {
		p, sum := parts[i], parts[i].least
		for !p.reach(sum) || !together[i].has(rest-sum) {
			sum++
		}
		chosen = append(chosen, p.take(sum)...)
		rest -= sum
	}
	slices.SortFunc(chosen, func(a, b item) int { return a.at - b.at })
	return chosen
}

// A part of a batch is the groups of one environment, or of all environments without a
// minimum.
type part struct {
	*ladder
	least int // sequences
}
