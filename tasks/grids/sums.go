package grids

import (
	"math/bits"

	"github.com/quintain-rl/quintain/task/rng"
)

// mostMarks limits the cells of a puzzle of marks.
const mostMarks = 128

// A set is a set of cells, a bit for each.
type set [mostMarks / 64]uint64

// setOf returns the set of some cells.
func setOf(cells ...int) (s set) {
	for _, c := range cells {
		s.add(c)
	}
	return s
}

// firstCells returns the set of the first n cells.
func firstCells(n int) (s set) {
	for c := range n {
		s.add(c)
	}
	return s
}

func (s *set) add(cell int)     { s[cell>>6] |= 1 << (cell & 63) }
func (s set) has(cell int) bool { return s[cell>>6]>>(cell&63)&1 != 0 }
func (s set) and(t set) set     { return set{s[0] & t[0], s[1] & t[1]} }
func (s set) or(t set) set      { return set{s[0] | t[0], s[1] | t[1]} }
func (s set) less(t set) set    { return set{s[0] &^ t[0], s[1] &^ t[1]} }
func (s set) empty() bool       { return s[0]|s[1] == 0 }
func (s set) len() int          { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// first returns the first cell of a set that is not empty.
func (s set) first() int {
	if s[0] != 0 {
		return bits.TrailingZeros64(s[0])
	}
	return 64 + bits.TrailingZeros64(s[1])
}

// cells returns the cells of a set in order.
func (s set) cells() []int {
	list := make([]int, 0, s.len())
	for !s.empty() {
		c := s.first()
		list = append(list, c)
		s = s.less(setOf(c))
	}
	return list
}

// pick returns a random cell of a set that is not empty.
func pick(s set, r *rng.Rand) int {
	for range r.Between(0, s.len()-1) {
		s = s.less(setOf(s.first()))
	}
	return s.first()
}

// differing returns the places at which two lists of one length differ.
func differing(a, b []int) (s set) {
	for i := range a {
		if a[i] != b[i] {
			s.add(i)
		}
	}
	return s
}

// ints returns a cell for each of n: 1 is one in the set.
func (s set) ints(n int) []int {
	cells := make([]int, n)
	for c := range cells {
		if s.has(c) {
			cells[c] = 1
		}
	}
	return cells
}

// A bound limits how many of some cells are marked.
type bound struct {
	of          set
	least, most int
}

// A sums is the rules of a puzzle whose cells are marked or not.
type sums struct {
	cells  set
	bounds []bound
	of     [mostMarks][]uint16 // by cell: the bounds that concern it
	fits   func(on set) bool   // the rules that are no bounds, for all marks; nil: none
	early  bool                // fits can tell from some of the marks that no others help
	room   []tally             // for a search, to use again
}

// newSums returns the rules of a puzzle of n cells, so far none. It makes room for those of most
// puzzles.
func newSums(n int) *sums {
	const each = 16
	s := &sums{cells: firstCells(n), bounds: make([]bound, 0, 4*n)}
	room := make([]uint16, each*n)
	for c := range n {
		s.of[c] = room[each*c : each*c : each*(c+1)]
	}
	return s
}

// bind adds a bound.
func (s *sums) bind(of set, least, most int) {
	for rest := of; !rest.empty(); {
		c := rest.first()
		rest = rest.less(setOf(c))
		s.of[c] = append(s.of[c], uint16(len(s.bounds)))
	}
	s.bounds = append(s.bounds, bound{of, least, most})
}

// A marks is what is known of the cells.
type marks struct{ on, off set }

// A tally counts the cells of a bound that are still free to be on, and free to be off.
type tally struct {
	on, off int8
	span    int8 // most less least
}

// missing returns how many cells of a bound are open if it lacks marks, and otherwise 0.
func (t tally) missing() int {
	if t.on <= t.span {
		return 0
	}
	return int(t.on + t.off - t.span)
}

// A sumSearch looks for marks that keep the rules.
type sumSearch struct {
	rules *sums
	known *set      // not these; tried last. nil: any
	rand  *rng.Rand // chooses what to try first; nil: what is not known
	steps int       // steps left
	found set

	tallies []tally // of the bounds, for each choice that the search is in; the last come last
}

// run looks for marks beyond m. If it leaves steps negative, it has given up.
func (s *sumSearch) run(m marks) bool {
	s.tallies = s.rules.room[:0]
	defer func() { s.rules.room = s.tallies }()
	var change set
	for i := range s.rules.bounds {
		b := &s.rules.bounds[i]
		on, free := b.of.and(m.on).len(), b.of.less(m.off).len()
		t := tally{int8(b.most - on), int8(free - b.least), int8(b.most - b.least)}
		if s.tallies = append(s.tallies, t); t.on < 0 || t.off < 0 {
			return false
		}
	}
	for i, t := range s.tallies {
		free := s.rules.bounds[i].of.less(m.on.or(m.off))
		switch {
		case t.on == 0:
			m.off, change = m.off.or(free), change.or(free)
		case t.off == 0:
			m.on, change = m.on.or(free), change.or(free)
		}
	}
	return s.follow(&m, change) && s.extend(m)
}

// follow marks and unmarks the cells that the bounds leave no choice after a change. It reports false
// if a bound cannot be kept.
func (s *sumSearch) follow(m *marks, change set) bool {
	tallies := s.tallies[len(s.tallies)-len(s.rules.bounds):]
	for !change.empty() {
		c := change.first()
		change = change.less(setOf(c))
		marked := m.on.has(c)
		for _, i := range s.rules.of[c] {
			left, rest := &tallies[i].off, &m.on
			if marked {
				left, rest = &tallies[i].on, &m.off
			}
			if *left--; *left > 0 {
				continue
			}
			if *left < 0 {
				return false
			}
			free := s.rules.bounds[i].of.less(m.on.or(m.off))
			*rest, change = rest.or(free), change.or(free)
		}
	}
	return true
}

// extend is run for marks that the bounds have been followed for.
func (s *sumSearch) extend(m marks) bool {
	if s.steps--; s.steps < 0 || s.rules.early && !s.rules.fits(m.on) {
		return false
	}
	cell, open := s.choose(m)
	if !open {
		s.found = m.on
		return (s.known == nil || m.on != *s.known) && (s.rules.fits == nil || s.rules.fits(m.on))
	}
	on := true
	switch {
	case s.rand != nil:
		on = s.rand.Between(0, 1) == 0
	case s.known != nil:
		on = !s.known.has(cell)
	}
	was := len(s.tallies)
	for range 2 {
		next, one := m, setOf(cell)
		if on {
			next.on = next.on.or(one)
		} else {
			next.off = next.off.or(one)
		}
		s.tallies = append(s.tallies, s.tallies[was-len(s.rules.bounds):was]...)
		if s.follow(&next, one) && s.extend(next) {
			return true
		}
		s.tallies = s.tallies[:was]
		on = !on
	}
	return false
}

// choose returns an open cell of the bound that lacks marks and has the fewest.
func (s *sumSearch) choose(m marks) (cell int, open bool) {
	decided, fewest, of := m.on.or(m.off), mostMarks+1, 0
	for i, t := range s.tallies[len(s.tallies)-len(s.rules.bounds):] {
		if n := t.missing(); n > 0 && n < fewest {
			if fewest, of = n, i; n == 2 {
				break // with one it would be settled
			}
		}
	}
	if fewest <= mostMarks {
		return s.rules.bounds[of].of.less(decided).first(), true
	}
	free := s.rules.cells.less(decided)
	if free.empty() {
		return 0, false
	}
	return free.first(), true
}

// other looks for marks that keep the rules and are not known, from what is given, in a
// number of steps. If it gives up, it reports neither another solution nor uniqueness.
func (s *sums) other(known set, given marks, steps int) (other set, found, unique bool) {
	search := sumSearch{rules: s, known: &known, steps: steps}
	found = search.run(given)
	return search.found, found, !found && search.steps >= 0
}
