package patterns

import "sort"

// A strip is a row of cells, with derived facts for rules.
type strip struct {
	cells  []int
	runs   []colorRun // from left to right
	of     []int      // index of each cell's run; -1 on the background
	before []int      // the nearest colored cell on the left, possibly itself; -1: none
	after  []int      // the same on the right; len(cells): none
	full   []int      // the colored cells
	count  [10]int    // the cells of each color

	longest, shortest int // lengths of runs; 0 if there are none
	widest            int // largest difference of after and before, on the background
}

// A colorRun is a run of cells with one color other than 0: from, and up to before to.
type colorRun struct{ from, to, color int }

// look sets the cells of s, keeping the slice, and derives the rest.
func (s *strip) look(cells []int) {
	n := len(cells)
	if cap(s.of) < n {
		room := make([]int, 4*n)
		s.of, s.before, s.after, s.full = room[:n:n], room[n:2*n:2*n], room[2*n:3*n:3*n], room[3*n:]
		s.runs = make([]colorRun, 0, n/2+1)
	}
	s.cells, s.runs, s.full, s.count = cells, s.runs[:0], s.full[:0], [10]int{}
	s.of, s.before, s.after = s.of[:n], s.before[:n], s.after[:n]
	nearest := -1
	for i, c := range cells {
		s.count[c]++
		s.of[i] = -1
		if c != 0 {
			if i == 0 || cells[i-1] != c {
				s.runs = append(s.runs, colorRun{i, i, c})
			}
			s.runs[len(s.runs)-1].to = i + 1
			s.of[i], nearest = len(s.runs)-1, i
			s.full = append(s.full, i)
		}
		s.before[i] = nearest
	}
	nearest, s.widest = n, 0
	for i := n - 1; i >= 0; i-- {
		if cells[i] != 0 {
			nearest = i
		} else {
			s.widest = max(s.widest, nearest-s.before[i])
		}
		s.after[i] = nearest
	}
	s.longest, s.shortest = 0, 0
	for _, r := range s.runs {
		length := r.to - r.from
		s.longest = max(s.longest, length)
		if s.shortest == 0 || length < s.shortest {
			s.shortest = length
		}
	}
}

// first returns the first color other than the background.
func first(colors ...int) int {
	for _, c := range colors {
		if c != 0 {
			return c
		}
	}
	return 0
}

// when returns color if shows is true, else the background.
func when(shows bool, color int) int {
	if shows {
		return color
	}
	return 0
}

// dotted returns color in every k-th cell of a ray.
func dotted(color, distance, k int) int { return when(distance%k == 0, color) }

// last returns the index of the last cell.
func (s *strip) last() int { return len(s.cells) - 1 }

// at returns the color of cell i, or the background outside the row.
func (s *strip) at(i int) int {
	if i < 0 || i >= len(s.cells) {
		return 0
	}
	return s.cells[i]
}

// wrapped returns the color of cell i in a row closed to a ring.
func (s *strip) wrapped(i int) int { return s.cells[(i+len(s.cells))%len(s.cells)] }

// inOtherHalf returns the cell corresponding to i in the other half, or i itself in the
// middle.
func (s *strip) inOtherHalf(i int) int {
	half, apart := len(s.cells)/2, (len(s.cells)+1)/2
	switch {
	case i < half:
		return i + apart
	case i >= apart:
		return i - apart
	}
	return i
}

// colored returns the color of the i-th colored cell, or the background if there is none.
func (s *strip) colored(i int) int {
	if i < 0 || i >= len(s.full) {
		return 0
	}
	return s.cells[s.full[i]]
}

// rank returns the number of colored cells before i.
func (s *strip) rank(i int) int { return sort.SearchInts(s.full, i) }

// inside reports whether i is colored, or has colored cells on both sides.
func (s *strip) inside(i int) bool { return s.before[i] >= 0 && s.after[i] < len(s.cells) }

// length returns the length of cell i's run, 0 on the background.
func (s *strip) length(i int) int {
	if s.of[i] < 0 {
		return 0
	}
	r := s.runs[s.of[i]]
	return r.to - r.from
}

// offset returns the number of cells before i in its run.
func (s *strip) offset(i int) int {
	if s.of[i] < 0 {
		return 0
	}
	return i - s.runs[s.of[i]].from
}

// atEnd reports whether cell i is the first or the last of its run.
func (s *strip) atEnd(i int) bool { return s.offset(i) == 0 || s.offset(i) == s.length(i)-1 }

// inMiddle reports whether cell i is in the middle of its run, or one of the two middle
// cells.
func (s *strip) inMiddle(i int) bool {
	apart := 2*s.offset(i) - s.length(i) + 1
	return -1 <= apart && apart <= 1
}

// touchesBorder reports whether the run of cell i begins or ends the row.
func (s *strip) touchesBorder(i int) bool {
	return s.of[i] >= 0 && (s.runs[s.of[i]].from == 0 || s.runs[s.of[i]].to == len(s.cells))
}

// recolored returns the color of cell i, or k if it is colored and changes is true.
func (s *strip) recolored(i int, changes bool, k int) int {
	if s.cells[i] == 0 || !changes {
		return s.cells[i]
	}
	return k
}

// colorOf returns the color of run j, counted around.
func (s *strip) colorOf(j int) int {
	if len(s.runs) == 0 {
		return 0
	}
	return s.runs[(j+len(s.runs))%len(s.runs)].color
}

// longestColor returns the color of the first of the longest runs.
func (s *strip) longestColor() int {
	for _, r := range s.runs {
		if r.to-r.from == s.longest {
			return r.color
		}
	}
	return 0
}

// frequent returns the most frequent color besides the background.
func (s *strip) frequent() int {
	best := 1
	for c := 2; c <= 9; c++ {
		if s.count[c] > s.count[best] {
			best = c
		}
	}
	return best
}

// lowest returns the lowest color besides the background.
func (s *strip) lowest() int {
	for c := 1; c <= 9; c++ {
		if s.count[c] > 0 {
			return c
		}
	}
	return 0
}

// highest returns the highest color in the row.
func (s *strip) highest() int {
	for c := 9; c > 0; c-- {
		if s.count[c] > 0 {
			return c
		}
	}
	return 0
}

// sorted returns cell i of the row in order of colors.
func (s *strip) sorted(i int) int {
	for c, n := range s.count {
		if i -= n; i < 0 {
			return c
		}
	}
	return 0
}

// pieceEnd returns the end of the colored cells from i on.
func (s *strip) pieceEnd(i int) int {
	for s.at(i) != 0 {
		i++
	}
	return i
}

// oppositeInPiece returns the color opposite i in its stretch of colored cells.
func (s *strip) oppositeInPiece(i int) int {
	from := i
	for s.at(from-1) != 0 {
		from--
	}
	return s.at(from + s.pieceEnd(i) - 1 - i)
}

// tiled returns the color of cell i if the colored cells at the beginning repeat over the
// row.
func (s *strip) tiled(i int) int {
	if piece := s.pieceEnd(0); piece > 0 {
		i %= piece
	}
	return s.cells[i]
}

// mark returns the index of the first run of one cell, or a distant index if there is none.
func (s *strip) mark() int {
	for _, r := range s.runs {
		if r.to == r.from+1 {
			return r.from
		}
	}
	return -len(s.cells)
}

// blockColor returns the color of the longer of the two outer runs.
func (s *strip) blockColor() int {
	if len(s.runs) == 0 {
		return 0
	}
	a, b := s.runs[0], s.runs[len(s.runs)-1]
	if b.to-b.from > a.to-a.from {
		return b.color
	}
	return a.color
}

// moveToMark moves the longer of two runs until it touches the shorter one.
func moveToMark(s *strip, i, _ int) int {
	if len(s.runs) != 2 {
		return s.cells[i]
	}
	a, b := s.runs[0], s.runs[1]
	gap := b.from - a.to
	if a.to-a.from > b.to-b.from {
		return first(when(i >= b.from, s.at(i)), when(i < b.from, s.at(i-gap)))
	}
	return first(when(i < a.to, s.at(i)), when(i >= a.to, s.at(i+gap)))
}

// Conditions under which the effect of some rules is clear.

func blockBesideMark(s *strip) bool {
	return len(s.runs) == 2 && s.shortest == 1 && s.longest > 1 && s.runs[0].color != s.runs[1].color && len(s.full) < s.runs[1].to-s.runs[0].from
}

func oneLongest(s *strip) bool {
	return len(s.runs) > 1 && s.withLength(s.longest) == 1
}

func oneShortest(s *strip) bool {
	return len(s.runs) > 1 && s.withLength(s.shortest) == 1
}

// withLength counts the runs of a length.
func (s *strip) withLength(length int) (n int) {
	for _, r := range s.runs {
		if r.to-r.from == length {
			n++
		}
	}
	return n
}

func oneWidestGap(s *strip) bool {
	cells := 0
	for i, c := range s.cells {
		if c == 0 && s.after[i]-s.before[i] == s.widest {
			cells++
		}
	}
	return cells == s.widest-1
}

func oneFrequent(s *strip) bool {
	most, with := s.count[s.frequent()], 0
	for _, n := range s.count[1:] {
		if n == most {
			with++
		}
	}
	return most > 1 && with == 1
}

func oneColor(s *strip) bool { return len(s.full) > 0 && s.lowest() == s.highest() }

func hasTwoColors(s *strip) bool {
	low, high := s.lowest(), s.highest()
	return low != high && s.count[low]+s.count[high] == len(s.full)
}
