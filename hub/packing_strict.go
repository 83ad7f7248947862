package hub

import (
	"slices"

	"github.com/quintain-rl/quintain/queue"
)

// This file packs as the original does, faults and all, for those who ask for it:
// see [Config.Strict].

// packStrict returns the groups of the next batch as the original chooses them.
func packStrict(waiting []queue.Entry, n need) []queue.Entry {
	if len(n.minimums) == 0 && !n.bound {
		return strictExact(waiting, n.sequences)
	}
	return strictMinimums(waiting, n)
}

// A packKind is what packs are made of: groups of one size, and of one environment
// where that matters.
type packKind struct {
	env       int32
	sequences int
}

// packs returns the places of the groups that are packable, pack after pack: as many
// groups of a kind as together have the sequences of the largest group that waits.
func packs(waiting []queue.Entry, kind func(queue.Entry) (packKind, bool)) []int {
	largest := 0
	for _, e := range waiting {
		largest = max(largest, e.Sequences)
	}
	var all []int
	pending := make(map[packKind][]int)
	for i, e := range waiting {
		k, ok := kind(e)
		if !ok {
			continue
		}
		pending[k] = append(pending[k], i)
		if len(pending[k])*e.Sequences == largest {
			all = append(all, pending[k]...)
			delete(pending, k)
		}
	}
	return all
}

// strictExact takes whole packs until they make a batch exactly.
func strictExact(waiting []queue.Entry, sequences int) []queue.Entry {
	var batch []queue.Entry
	sum := 0
	for _, i := range packs(waiting, func(e queue.Entry) (packKind, bool) { return packKind{0, e.Sequences}, true }) {
		batch = append(batch, waiting[i])
		if sum += waiting[i].Sequences; sum == sequences {
			return batch
		}
		if sum > sequences {
			return nil
		}
	}
	return nil
}

// strictMinimums takes each environment's minimum, in the order in which packs came
// to be whole, and then what fits, in the order of the queue. Groups of no
// environment are never taken.
func strictMinimums(waiting []queue.Entry, n need) []queue.Entry {
	places := packs(waiting, func(e queue.Entry) (packKind, bool) {
		return packKind{e.EnvID, e.Sequences}, e.EnvID >= 0
	})
	usable := make([]queue.Entry, len(places))
	for i, at := range places {
		usable[i] = waiting[at]
	}
	s := selection{n: n, taken: make(map[uint64]bool)}
	for _, m := range scaled(n, usable) {
		if !s.takeMinimum(usable, m) {
			return nil
		}
	}
	slices.Sort(places)
	for _, at := range places {
		s.take(waiting[at])
	}
	if s.sum != n.sequences {
		return nil
	}
	return s.batch
}

// A selection is a batch that is being made.
type selection struct {
	n     need
	batch []queue.Entry
	sum   int             // its sequences
	taken map[uint64]bool // by sequence number
}

// take takes e where it fits and is not taken yet.
func (s *selection) take(e queue.Entry) bool {
	if s.taken[e.Seq] || s.sum+e.Sequences > s.n.sequences {
		return false
	}
	s.taken[e.Seq] = true
	s.sum += e.Sequences
	s.batch = append(s.batch, e)
	return true
}

// takeMinimum takes groups of an environment until it has its minimum, and reports
// whether it has any that are usable.
func (s *selection) takeMinimum(usable []queue.Entry, m minimum) (has bool) {
	got := 0
	for _, e := range usable {
		if e.EnvID != m.env {
			continue
		}
		has = true
		if got < m.sequences && s.take(e) {
			got += e.Sequences
		}
	}
	return has
}
