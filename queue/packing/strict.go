package packing

import "slices"

// This file packs as Atropos does, including its faults, for [Need.Strict].

// packStrict returns the groups of the next batch by Atropos' rules.
func (n Need) packStrict(waiting Waiting) []item {
	if !n.bounded {
		return strictExact(waiting, n.Least)
	}
	return n.strictMinimums(waiting)
}

// packs returns the groups of complete packs, pack by pack. A pack is as many groups of one
// kind as together have the sequences of the largest waiting group. Groups without a kind
// are left out.
func packs(waiting Waiting, kind func(Group) (k Group, ok bool)) []item {
	largest := 0
	for e := range all(waiting) {
		largest = max(largest, e.Size)
	}
	var packed []item
	pending := make(map[Group][]item)
	for e := range all(waiting) {
		k, ok := kind(e.Group)
		if !ok {
			continue
		}
		pending[k] = append(pending[k], e)
		if len(pending[k])*e.Size == largest {
			packed = append(packed, pending[k]...)
			delete(pending, k)
		}
	}
	return packed
}

// strictExact takes packs until they fill a batch exactly.
func strictExact(waiting Waiting, sequences int) []item {
	var batch []item
	sum := 0
	for _, e := range packs(waiting, func(g Group) (Group, bool) { return Group{0, g.Size}, true }) {
		batch = append(batch, e)
		if sum += e.Size; sum == sequences {
			return batch
		}
		if sum > sequences {
			return nil
		}
	}
	return nil
}

// strictMinimums takes each environment's minimum, in the order in which packs were
// completed, then all groups that still fit, in the order of the queue. It never takes
// groups without an environment.
func (n Need) strictMinimums(waiting Waiting) []item {
	usable := packs(waiting, func(g Group) (Group, bool) { return g, g.Env >= 0 })
	s := selection{n: n, taken: make(map[int]bool)}
	for _, m := range n.scaled(usable) {
		if !s.takeMinimum(usable, m) {
			return nil
		}
	}
	slices.SortFunc(usable, func(a, b item) int { return a.at - b.at })
	for _, e := range usable {
		s.take(e)
	}
	if s.sum != n.Least {
		return nil
	}
	return s.batch
}

// A selection is an incomplete batch.
type selection struct {
	n     Need
	batch []item
	sum   int          // its sequences
	taken map[int]bool // by index
}

// take adds e if it fits and is not in the batch.
func (s *selection) take(e item) bool {
	if s.taken[e.at] || s.sum+e.Size > s.n.Least {
		return false
	}
	s.taken[e.at] = true
	s.sum += e.Size
	s.batch = append(s.batch, e)
	return true
}

// takeMinimum adds groups of an environment up to its minimum, and reports whether it has
// any that can be packed.
func (s *selection) takeMinimum(usable []item, m minimum) (has bool) {
	got := 0
	for _, e := range usable {
		if e.Env != m.env {
			continue
		}
		has = true
		if got < m.size && s.take(e) {
			got += e.Size
		}
	}
	return has
}
