package boards

import (
	"math/bits"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// mostCells limits the cells of a numbering.
const mostCells = 81

// A numbering is the rules of a puzzle with numbers from 1 to size, at most 9, in its
// cells: each number occurs once in each unit, and some cells must be smaller than others.
type numbering struct {
	size  int
	cells int
	units [][]uint8          // rows, columns and, in a sudoku, boxes
	peers [mostCells][]uint8 // by cell: the others of its units
	less  [mostCells][]uint8 // by cell: the cells that must be larger
	more  [mostCells][]uint8 // by cell: the cells that must be smaller
}

// newNumbering returns the rules for these units.
func newNumbering(size int, units [][]uint8) *numbering {
	n := &numbering{size: size, cells: size * size, units: units}
	for _, unit := range units {
		for _, a := range unit {
			n.peers[a] = append(n.peers[a], unit...)
		}
	}
	for a, peers := range n.peers {
		slices.Sort(peers)
		n.peers[a] = slices.DeleteFunc(slices.Compact(peers), func(b uint8) bool { return int(b) == a })
	}
	return n
}

// lines returns the rows and columns of a square grid.
func lines(size int) (units [][]uint8) {
	for i := range size {
		row, column := make([]uint8, size), make([]uint8, size)
		for j := range size {
			row[j], column[j] = uint8(i*size+j), uint8(j*size+i)
		}
		units = append(units, row, column)
	}
	return units
}

// domains are the candidates of each cell: bit k-1 stands for k.
type domains [mostCells]uint16

// open returns the domains of an empty grid.
func (n *numbering) open() (d domains) {
	for i := range n.cells {
		d[i] = 1<<n.size - 1
	}
	return d
}

// given returns the domains of a partly filled grid; 0 is an empty cell. ok is false if the
// grid breaks the rules.
func (n *numbering) given(grid []int) (d domains, ok bool) {
	d = n.open()
	for i, k := range grid {
		if k > 0 && !n.narrow(&d, i, 1<<(k-1)) {
			return d, false
		}
	}
	return d, true
}

// narrow restricts a cell to the numbers in keep, and propagates to other cells. It reports
// false if a cell is left without a number.
func (n *numbering) narrow(d *domains, cell int, keep uint16) bool {
	was := d[cell]
	now := was & keep
	if now == was {
		return true
	}
	d[cell] = now
	if now == 0 {
		return false
	}
	if now&(now-1) == 0 {
		for _, peer := range n.peers[cell] {
			if !n.narrow(d, int(peer), ^now) {
				return false
			}
		}
	}
	above := ^(now&-now<<1 - 1)                 // more than the least
	below := uint16(1)<<(bits.Len16(now)-1) - 1 // less than the most
	for _, other := range n.less[cell] {
		if !n.narrow(d, int(other), above) {
			return false
		}
	}
	for _, other := range n.more[cell] {
		if !n.narrow(d, int(other), below) {
			return false
		}
	}
	return true
}

// settle fills cells that alone in a unit can hold a number, until there are none. It
// reports false if a number is left without a cell.
func (n *numbering) settle(d *domains) bool {
	for changed := true; changed; {
		changed = false
		for _, unit := range n.units {
			filled, ok := n.settleUnit(d, unit)
			if !ok {
				return false
			}
			changed = changed || filled
		}
	}
	return true
}

// settleUnit is settle for one unit, once.
func (n *numbering) settleUnit(d *domains, unit []uint8) (filled, ok bool) {
	once, twice := uint16(0), uint16(0)
	for _, cell := range unit {
		twice |= once & d[cell]
		once |= d[cell]
	}
	if once != 1<<n.size-1 {
		return false, false
	}
	once &^= twice
	for _, cell := range unit {
		hidden := d[cell] & once
		if hidden == 0 || hidden == d[cell] {
			continue
		}
		if filled = true; !n.narrow(d, int(cell), hidden) {
			return true, false
		}
	}
	return filled, true
}

// A search looks for a filling of a grid.
type search struct {
	rules *numbering
	rand  *rng.Rand // chooses the numbers to try first; nil: smallest first
	steps int       // steps left
	found domains
}

// Limits of a search, in guesses.
const (
	mostSteps = 100 // to prove that there is no filling
	fillSteps = 150 // to find one at random: a restart is faster then
)

// run reports whether d has a filling, and stores it in found. If steps is negative, it has
// given up.
func (s *search) run(d domains) bool {
	if s.steps--; s.steps < 0 || !s.rules.settle(&d) {
		return false
	}
	cell, fewest := -1, mostCells
	for i := range s.rules.cells {
		if count := bits.OnesCount16(d[i]); count > 1 && count < fewest {
			cell, fewest = i, count
		}
	}
	if cell < 0 {
		s.found = d
		return true
	}
	for left := d[cell]; left != 0; {
		bit := s.choose(left)
		left &^= bit
		if next := d; s.rules.narrow(&next, cell, bit) && s.run(next) {
			return true
		}
	}
	return false
}

// choose returns one of the bits in a set.
func (s *search) choose(set uint16) uint16 {
	if s.rand != nil {
		for range s.rand.Between(0, bits.OnesCount16(set)-1) {
			set &= set - 1
		}
	}
	return set & -set
}

// fill returns a random filling of the empty grid.
func (n *numbering) fill(r *rng.Rand) []int {
	for {
		s := search{rules: n, rand: r, steps: fillSteps}
		if !s.run(n.open()) {
			continue
		}
		grid := make([]int, n.cells)
		for i := range grid {
			grid[i] = bits.Len16(s.found[i])
		}
		return grid
	}
}

// dig empties cells of a filled grid in random order, up to most, each only if the filling
// stays unique. It returns the number of emptied cells. A cell stays if the proof takes too
// long.
func (n *numbering) dig(grid []int, most int, r *rng.Rand) (emptied int) {
	order := make([]int, n.cells)
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	for _, i := range order {
		if emptied == most {
			break
		}
		k := grid[i]
		grid[i] = 0
		if others := n.free(grid, i) &^ (1 << (k - 1)); others != 0 && n.allows(grid, i, others) {
			grid[i] = k
			continue
		}
		emptied++
	}
	return emptied
}

// free returns the numbers that no other cell of its units has.
func (n *numbering) free(grid []int, cell int) uint16 {
	used := 0
	for _, peer := range n.peers[cell] {
		used |= 1 << grid[peer]
	}
	return uint16(^used>>1) & (1<<n.size - 1)
}

// allows reports whether the grid has, or may have, a filling with one of some numbers in a
// cell.
func (n *numbering) allows(grid []int, cell int, numbers uint16) bool {
	d, ok := n.given(grid)
	if !ok || !n.narrow(&d, cell, numbers) {
		return false
	}
	s := search{rules: n, steps: mostSteps}
	return s.run(d) || s.steps < 0
}

// breaks reports whether a filled grid breaks the rules.
func (n *numbering) breaks(grid []int) bool {
	_, ok := n.given(grid)
	return !ok
}
