package grids

import (
	"math/bits"
	"slices"

	"github.com/quintain-rl/quintain/task/rng"
)

// latinMaxSide limits the rows of a Latin square.
const latinMaxSide = 7

// A latinSearch looks for a Latin square: each row and each column has the numbers from 1 to
// size.
type latinSearch struct {
	size    int
	allowed []uint16                       // by cell: bit k-1 stands for k
	fits    func(cells []int, at int) bool // after a cell was filled: whether the cells can be right; nil: yes
	known   []int                          // not this square; its numbers are tried last. nil: any
	rand    *rng.Rand                      // chooses the numbers to try first; nil: smallest first
	steps   int                            // steps left

	unsure     set                  // the cells that were empty when it first had a choice
	cells      []int                // 0 is an empty cell
	rows, cols [latinMaxSide]uint16 // the numbers in them
	empty      [latinMaxSide]uint16 // by row: its empty cells, a bit for each column
}

// anyNumber returns what is allowed in an empty board.
func anyNumber(size int) []uint16 {
	return slices.Repeat([]uint16{1<<size - 1}, size*size)
}

// run reports whether there is such a square, and leaves it in cells. If steps is negative, it has
// given up.
func (s *latinSearch) run() bool {
	s.cells = make([]int, s.size*s.size)
	for i := range s.size {
		s.empty[i] = 1<<s.size - 1
	}
	return s.fill()
}

// fill fills the cells left.
func (s *latinSearch) fill() bool {
	if s.steps--; s.steps < 0 {
		return false
	}
	cell, left := s.tightest()
	if cell < 0 {
		return s.known == nil || !slices.Equal(s.cells, s.known)
	}
	if left&(left-1) != 0 && s.unsure.empty() {
		s.unsure = firstCells(len(s.cells)).less(differing(s.cells, make([]int, len(s.cells))))
	}
	i, j := cell/s.size, cell%s.size
	s.empty[i] &^= 1 << j
	for left != 0 {
		bit := s.choose(cell, left)
		left &^= bit
		s.cells[cell] = bits.Len16(bit)
		if s.fits == nil || s.fits(s.cells, cell) {
			s.rows[i] |= bit
			s.cols[j] |= bit
			if s.fill() {
				return true
			}
			s.rows[i] &^= bit
			s.cols[j] &^= bit
		}
	}
	s.cells[cell] = 0
	s.empty[i] |= 1 << j
	return false
}

// tightest returns an empty cell for which the fewest numbers are left, or none or one, and these; -1
// if no cell is empty.
func (s *latinSearch) tightest() (cell int, left uint16) {
	cell, fewest := -1, latinMaxSide+1
	for i := range s.size {
		for empty := s.empty[i]; empty != 0; empty &= empty - 1 {
			j := bits.TrailingZeros16(empty)
			free := s.allowed[i*s.size+j] &^ (s.rows[i] | s.cols[j])
			n := bits.OnesCount16(free)
			if n >= fewest {
				continue
			}
			if cell, fewest, left = i*s.size+j, n, free; n <= 1 {
				return cell, left
			}
		}
	}
	return cell, left
}

// choose returns the number to try first, as a bit.
func (s *latinSearch) choose(cell int, left uint16) uint16 {
	if s.rand != nil {
		for range s.rand.Between(0, bits.OnesCount16(left)-1) {
			left &= left - 1
		}
	}
	if s.known != nil {
		if others := left &^ (1 << (s.known[cell] - 1)); others != 0 {
			left = others
		}
	}
	return left & -left
}

// drawLatin returns a random Latin square.
func drawLatin(size int, r *rng.Rand) []int {
	for {
		s := latinSearch{size: size, allowed: anyNumber(size), rand: r, steps: 3 * size * size}
		if s.run() {
			return s.cells
		}
	}
}

// repeated returns the first cell whose number stands in its row or column before, or is more
// than size.
func repeated(cells []int, size int) (cell int, found bool) {
	var rows, cols [latinMaxSide]uint16
	for at, k := range cells {
		bit := uint16(1) << (k - 1)
		if k > size || (rows[at/size]|cols[at%size])&bit != 0 {
			return at, true
		}
		rows[at/size] |= bit
		cols[at%size] |= bit
	}
	return 0, false
}
