package guess

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A minefield is a square board. Sets of its cells are bits, row by row.
type minefield struct {
	width int
	near  []uint64 // the up to eight neighbours of each cell
}

func newMinefield(side int) minefield {
	f := minefield{width: side, near: make([]uint64, side*side)}
	for cell := range f.near {
		for beside := range 9 {
			col, row := cell%side+beside%3-1, cell/side+beside/3-1
			if other := row*side + col; other != cell && col >= 0 && col < side && row >= 0 && row < side {
				f.near[cell] |= 1 << other
			}
		}
	}
	return f
}

// all is the set of all cells.
func (f minefield) all() uint64 { return 1<<(f.width*f.width) - 1 } // 64 bits wrap to all ones

// number counts the mines around a cell.
func (f minefield) number(cell int, mines uint64) int { return bits.OnesCount64(f.near[cell] & mines) }

// opened returns the open cells after another one, which is no mine, is opened: if it has no mine
// around, its neighbours open as well.
func (f minefield) opened(open, mines uint64, cell int) uint64 {
	open |= 1 << cell
	if f.number(cell, mines) > 0 {
		return open
	}
	for next := range cells(f.near[cell] &^ open) {
		if open>>next&1 == 0 {
			open = f.opened(open, mines, next)
		}
	}
	return open
}

// cells yields the cells of a set.
func cells(set uint64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}

// A surveying finds the layouts of mines that fit what is open.
type surveying struct {
	minefield
	open  uint64
	need  []int    // the numbers of the open cells
	order []int    // the closed cells, those beside open ones first
	later []uint64 // the cells after each of them
	most  int      // layouts
	steps int      // left
	found []uint64
}

// maxSteps bounds the search for layouts.
const maxSteps = 200_000

// layouts lists all layouts with as many mines that show the same numbers in the open cells; none
// if there are more than most.
func (f minefield) layouts(open, mines uint64, most int) []uint64 {
	s := surveying{minefield: f, open: open, most: most, steps: maxSteps}
	var border uint64
	for cell := range f.near {
		s.need = append(s.need, f.number(cell, mines))
		if open>>cell&1 == 1 {
			border |= f.near[cell]
		}
	}
	for cell := range cells(f.all() &^ open & border) {
		s.order = append(s.order, cell)
	}
	for cell := range cells(f.all() &^ open &^ border) {
		s.order = append(s.order, cell)
	}
	s.later = make([]uint64, len(s.order))
	for i := len(s.order) - 2; i >= 0; i-- {
		s.later[i] = s.later[i+1] | 1<<s.order[i+1]
	}
	if !s.search(0, 0, bits.OnesCount64(mines)) {
		return nil
	}
	return s.found
}

// search goes on with closed cell i, if the ones before it hold these mines. It reports false if
// there is too much to search.
func (s *surveying) search(i int, placed uint64, left int) bool {
	if s.steps--; s.steps < 0 || len(s.found) > s.most {
		return false
	}
	if left < 0 || left > len(s.order)-i {
		return true
	}
	if i == len(s.order) {
		s.found = append(s.found, placed)
		return len(s.found) <= s.most
	}
	cell := s.order[i]
	for _, mine := range []uint64{0, 1 << cell} {
		if s.fits(cell, placed|mine, s.later[i]) && !s.search(i+1, placed|mine, left-bits.OnesCount64(mine)) {
			return false
		}
	}
	return true
}

// fits reports whether the numbers around a cell can still come true.
func (s *surveying) fits(cell int, placed, undecided uint64) bool {
	for beside := range cells(s.near[cell] & s.open) {
		have, room := s.number(beside, placed), s.number(beside, undecided)
		if have > s.need[beside] || have+room < s.need[beside] {
			return false
		}
	}
	return true
}

// safe returns the cells that are a mine in no layout.
func (f minefield) safe(layouts []uint64) uint64 {
	var mines uint64
	for _, l := range layouts {
		mines |= l
	}
	return f.all() &^ mines
}

// agree returns the layouts that have no mine in a cell, and show its number.
func (f minefield) agree(layouts []uint64, cell, number int) (left []uint64) {
	for _, l := range layouts {
		if l>>cell&1 == 0 && f.number(cell, l) == number {
			left = append(left, l)
		}
	}
	return left
}

// proven returns what is open when nothing more is certain: all safe cells are opened, again and
// again.
func (f minefield) proven(open, mines uint64, layouts []uint64) uint64 {
	for {
		safe := f.safe(layouts) &^ open
		if safe == 0 {
			return open
		}
		open |= safe
		for cell := range cells(safe) {
			layouts = f.agree(layouts, cell, f.number(cell, mines))
		}
	}
}

// Odds know how often the best play clears a minefield. It is for one goroutine.
type odds struct {
	minefield
	known map[string]int // by layouts
}

// wins returns in how many of the layouts, which are equally likely, the best play clears the field.
func (g *odds) wins(layouts []uint64) (most int) {
	if len(layouts) <= 1 {
		return len(layouts)
	}
	var key []byte
	for _, l := range layouts {
		key = binary.LittleEndian.AppendUint64(key, l)
	}
	if wins, has := g.known[string(key)]; has {
		return wins
	}
	for _, c := range g.choices(layouts) {
		if c.safe <= most {
			break
		}
		most = max(most, g.after(layouts, c.cell))
		if c.safe == len(layouts) {
			break // a safe cell is never worse than another
		}
	}
	g.known[string(key)] = most
	return most
}

// A choice is a cell to open, and the number of layouts in which it is no mine.
type choice struct{ cell, safe int }

// choices lists the cells that tell something, the safest first.
func (g *odds) choices(layouts []uint64) (all []choice) {
	var some uint64 // mines of any layout
	for _, l := range layouts {
		some |= l
	}
	for cell := range g.near {
		c := choice{cell: cell}
		same := true
		first := -1
		for _, l := range layouts {
			if l>>cell&1 == 1 {
				continue
			}
			c.safe++
			number := g.number(cell, l)
			same = same && (first < 0 || first == number)
			first = number
		}
		if c.safe > 0 && (!same || some>>cell&1 == 1) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b choice) int { return cmp.Compare(b.safe, a.safe) })
	return all
}

// after is wins, if a certain cell is opened first.
func (g *odds) after(layouts []uint64, cell int) (wins int) {
	for number := range 9 {
		wins += g.wins(g.agree(layouts, cell, number))
	}
	return wins
}
