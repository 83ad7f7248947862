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

// settle marks and unmarks the cells that the bounds leave no choice. It reports false if a
// bound cannot be kept.
func (s *sums) settle(m *marks) bool {
	var change set
	for i := range s.bounds {
		if !s.bounds[i].settle(m, &change) {
			return false
		}
	}
	return s.follow(m, change)
}

// follow is settle for the bounds that a change concerns.
func (s *sums) follow(m *marks, change set) bool {
	for !change.empty() {
		c := change.first()
		change = change.less(setOf(c))
		for _, i := range s.of[c] {
			if !s.bounds[i].settle(m, &change) {
				return false
			}
		}
	}
	return true
}

// settle is settle for one bound. It adds the cells that it decides to change.
func (b *bound) settle(m *marks, change *set) bool {
	on, free := b.of.and(m.on).len(), b.of.less(m.on.or(m.off))
	open := free.len()
	switch {
	case on > b.most || on+open < b.least:
		return false
	case open == 0:
	case on == b.most:
		m.off, *change = m.off.or(free), change.or(free)
	case on+open == b.least:
		m.on, *change = m.on.or(free), change.or(free)
	}
	return true
}

// A sumSearch looks for marks that keep the rules.
type sumSearch struct {
	rules *sums
	known *set      // not these; tried last. nil: any
	rand  *rng.Rand // chooses what to try first; nil: what is not known
	steps int       // steps left
	found set
}

// run looks for marks beyond m. If it leaves steps negative, it has given up.
func (s *sumSearch) run(m marks) bool { return s.rules.settle(&m) && s.extend(m) }

// extend is run for settled marks.
func (s *sumSearch) extend(m marks) bool {
	if s.steps--; s.steps < 0 {
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
	for range 2 {
		next, one := m, setOf(cell)
		if on {
			next.on = next.on.or(one)
		} else {
			next.off = next.off.or(one)
		}
		if s.rules.follow(&next, one) && s.extend(next) {
			return true
		}
		on = !on
	}
	return false
}

// choose returns an open cell of the bound that lacks marks and has the fewest.
func (s *sumSearch) choose(m marks) (cell int, open bool) {
	decided, fewest := m.on.or(m.off), mostMarks+1
	for i := range s.rules.bounds {
		b := &s.rules.bounds[i]
		if b.least == 0 {
			continue
		}
		free := b.of.less(decided)
		if free.empty() || b.of.and(m.on).len() >= b.least {
			continue
		}
		if n := free.len(); n < fewest {
			if cell, fewest = free.first(), n; n == 2 {
				break // with one it would be settled
			}
		}
	}
	if fewest <= mostMarks {
		return cell, true
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
