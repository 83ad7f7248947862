package grids

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// nonogram asks for the only picture with given runs of filled cells.
var nonogram = task.Spec[nonogramParams, nonogramItem]{
	Name:     "nonogram",
	Category: "games",
	Doc:      "Fill cells of a board so that the runs of filled cells in each row and column have the given lengths. Every puzzle has exactly one solution.",
	Source:   "Nonogram, also known as Picross or Griddlers, by N. Ishida and, on his own, T. Nishio (1987).",
	Version:  2,
	Default:  nonogramParams{MinSize: 8, MaxSize: 8, Filled: 50},
	Levels: []nonogramParams{
		{MinSize: 5, MaxSize: 5, Filled: 60},
		{MinSize: 6, MaxSize: 6, Filled: 55},
		{MinSize: 7, MaxSize: 7, Filled: 50},
		{MinSize: 8, MaxSize: 8, Filled: 50},
		{MinSize: 9, MaxSize: 9, Filled: 45},
		{MinSize: 10, MaxSize: 10, Filled: 45},
	},
	Make: makeNonogram,
}

// nonogramParams are the settings of one difficulty.
type nonogramParams struct {
	MinSize int `json:"min_size" want:"4 to 10"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 10"`
	Filled  int `json:"filled_percent" want:"30 to 70"` // of the cells, before those that the solution needs
}

// nonogramMaxSide limits the rows of a board.
const nonogramMaxSide = 10

// nonogramItem is one puzzle.
type nonogramItem struct {
	Rows     [][]int        `json:"rows" want:"1 to 10"`    // lengths of the runs, from the left; none in an empty row
	Cols     [][]int        `json:"cols" want:"rows"`       // the same, from above
	Solution grid.Grid[int] `json:"solution" each:"0 to 1"` // 1 is a filled cell
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

const pictureSigns = signs(".#")

// A picture is the filled cells of a board, by row: bit j stands for column j.
type picture [nonogramMaxSide]uint16

// makeNonogram draws a picture and changes cells in which other pictures with the same runs
// differ, until there are none.
func makeNonogram(p nonogramParams, r *rng.Rand) (nonogramItem, error) {
	const most, steps = 20, 40
	size := r.Between(p.MinSize, p.MaxSize)
	for {
		var own picture
		for at := range size * size {
			if r.Between(1, 100) <= p.Filled {
				own[at/size] |= 1 << (at % size)
			}
		}
		for range most {
			search := nonogramSearch{size: size, known: own, steps: steps}
			search.begin()
			found := search.run(lineMarks{})
			if !found && search.steps >= 0 {
				return own.item(size, nonogramWordings.draw(r)), nil
			}
			if !found {
				break // it gave up
			}
			at := pick(own.apart(&search.found, size), r)
			own[at/size] ^= 1 << (at % size)
		}
	}
}

// apart returns the cells in which two pictures differ.
func (p *picture) apart(q *picture, size int) (differ set) {
	for at := range size * size {
		if (p[at/size]^q[at/size])>>(at%size)&1 != 0 {
			differ.add(at)
		}
	}
	return differ
}

// line returns a row, or, from size on, a column.
func (p *picture) line(i, size int) (cells uint16) {
	if i < size {
		return p[i]
	}
	for k, row := range p[:size] {
		cells |= row >> (i - size) & 1 << k
	}
	return cells
}

// runsOf returns the lengths of the runs of ones.
func runsOf(cells uint16) []int {
	runs := []int{}
	for n := 0; cells != 0 || n > 0; cells >>= 1 {
		if cells&1 != 0 {
			n++
		} else if n > 0 {
			runs, n = append(runs, n), 0
		}
	}
	return runs
}

// item returns the puzzle of a picture.
func (p *picture) item(size, phrasing int) nonogramItem {
	item := nonogramItem{Phrasing: phrasing}
	for i := range size {
		item.Rows = append(item.Rows, runsOf(p.line(i, size)))
		item.Cols = append(item.Cols, runsOf(p.line(size+i, size)))
	}
	item.Solution = grid.Build(size, size, func(i, j int) int { return int(p[i] >> j & 1) })
	return item
}

// A lineMarks is what is known of the rows, and from the size of the board on, of the columns.
type lineMarks struct{ on, off [2 * nonogramMaxSide]uint16 }

// A nonogramSearch looks for another picture with the same runs.
type nonogramSearch struct {
	size  int
	known picture
	fits  [2 * nonogramMaxSide][]uint16 // by line: the ways to fill it
	steps int                           // steps left
	found picture
}

// begin lists the ways to fill each line.
func (s *nonogramSearch) begin() {
	for i := range 2 * s.size {
		ways := runWays{size: s.size}
		ways.place(0, runsOf(s.known.line(i, s.size)), 0)
		s.fits[i] = ways.list
	}
}

// A runWays collects the ways to place runs in a line.
type runWays struct {
	size int
	list []uint16
}

// place places runs from a cell on, after what is in the line.
func (w *runWays) place(cells uint16, runs []int, from int) {
	if len(runs) == 0 {
		w.list = append(w.list, cells)
		return
	}
	room := len(runs) - 1
	for _, n := range runs {
		room += n
	}
	for ; from+room <= w.size; from++ {
		w.place(cells|(1<<runs[0]-1)<<from, runs[1:], from+runs[0]+1)
	}
}

// settle marks the cells that are alike in all ways to fill a line. It reports false if a
// line has none.
func (s *nonogramSearch) settle(m *lineMarks) bool {
	for changed := true; changed; {
		changed = false
		for i := range 2 * s.size {
			always, never := s.alike(m, i)
			if always&never != 0 {
				return false
			}
			on, off := always&^m.on[i], never&^m.off[i]
			changed = changed || on|off != 0
			m.markAll(s.size, i, on, true)
			m.markAll(s.size, i, off, false)
		}
	}
	return true
}

// alike returns the cells that are filled in all ways to fill a line, and those that are empty.
func (s *nonogramSearch) alike(m *lineMarks, i int) (always, never uint16) {
	always = 1<<s.size - 1
	never = always
	for _, way := range s.fits[i] {
		if way&m.off[i] == 0 && m.on[i]&^way == 0 {
			always &= way
			never &^= way
		}
	}
	return always, never
}

// markAll marks some cells of line i.
func (m *lineMarks) markAll(size, i int, cells uint16, on bool) {
	for ; cells != 0; cells &= cells - 1 {
		m.mark(size, i, bits.TrailingZeros16(cells), on)
	}
}

// mark marks cell j of line i.
func (m *lineMarks) mark(size, i, j int, on bool) {
	cross, at := size+j, i
	if i >= size {
		cross, at = j, i-size
	}
	marks := &m.off
	if on {
		marks = &m.on
	}
	marks[i] |= 1 << j
	marks[cross] |= 1 << at
}

// run reports whether there is another picture beyond m. If steps is negative, it has given up.
func (s *nonogramSearch) run(m lineMarks) bool {
	if s.steps--; s.steps < 0 || !s.settle(&m) {
		return false
	}
	for i := range s.size {
		open := (uint16(1)<<s.size - 1) &^ (m.on[i] | m.off[i])
		if open == 0 {
			continue
		}
		j := bits.TrailingZeros16(open)
		on := s.known[i]>>j&1 == 0
		for range 2 {
			next := m
			next.mark(s.size, i, j, on)
			if s.run(next) {
				return true
			}
			on = !on
		}
		return false
	}
	copy(s.found[:], m.on[:s.size])
	return s.found != s.known
}

// nonogramWordings are the wordings of the question.
var nonogramWordings = wordings{
	{"Solve this nonogram. The board has %n rows and %n columns, and each cell is filled or empty. The numbers of a row are the lengths of its runs of filled cells from left to right; the numbers of a column are those from top to bottom. There is at least one empty cell between two runs. A 0 stands for a row or column without filled cells.",
		"There is one solution. Answer with the board alone: %n lines of %n signs with single spaces between them, # for a filled cell and . for an empty one."},
	{"Find the picture that is described here.",
		"The picture has %n rows of %n cells, some of which are black. For every row you are told how many black cells follow each other, group by group, beginning at the left; groups are separated by one white cell or more. For every column you are told the same, beginning at the top. Where it says 0, no cell is black. Write the picture as %n rows of %n characters separated by single spaces: # is black, a dot is white. Only one picture is right. Write nothing else."},
	{"In a square of %n by %n cells, somebody has shaded some cells and noted down, for each line of the square, the lengths of all its unbroken blocks of shaded cells:",
		"The blocks of a row are listed in their order from the left, those of a column in their order from the top, and a line that has none is listed with 0. Blocks in the same line do not touch. Reconstruct the square; this is possible in just one way. Reply with the %n rows from top to bottom, with # for each shaded cell, . for each other cell, and a space between two cells."},
	{"Your answer will be %n lines of %n symbols, # or a dot, with single spaces between the symbols and no other text. Count the longest possible strings of neighboring # in each row (left to right) and each column (top to bottom). Their lengths have to be:",
		"A zero means that the row or column has no #. Exactly one answer has all these lengths."},
	{"Clues of a picture puzzle with %n rows and %n columns:",
		"How to read them: \"row 1: 3 1\" would say that the first row, read from the left, has three painted cells in succession and, after a gap of one or more cells, one more painted cell, and that nothing else in the row is painted. Columns are read from above in the same manner. 0 says that nothing is painted. The clues determine the picture. Print it row by row, using # for painted cells and . for the others, with a space between neighboring cells and without comment."},
	{"Which cells of the grid are filled? It has %n rows, numbered from the top, and %n columns, numbered from the left. We only know how long the groups of adjacent filled cells in each of them are.",
		"The groups of a row come in the order in which they stand from left to right, the groups of a column in the order from top to bottom. At least one empty cell lies between one group and the next. If the only number is 0, all cells of that row or column are empty. Give the only grid that agrees with everything above, in %n lines: # for filled, . for empty, and a single space between the signs of a line."},
}

func (n nonogramItem) Prompt() string {
	return nonogramWordings.ask(n.Phrasing, n.appendRuns(nil, 0), func(byte) string { return strconv.Itoa(len(n.Rows)) })
}

// appendRuns appends the lengths as seen in a view.
func (n nonogramItem) appendRuns(b []byte, v view) []byte {
	rows, cols := n.seen(v)
	for k, lines := range [][][]int{rows, cols} {
		for i, runs := range lines {
			if k+i > 0 {
				b = append(b, '\n')
			}
			b = fmt.Appendf(b, "%s %d:", [2]string{"row", "column"}[k], i+1)
			for _, run := range runs {
				b = strconv.AppendInt(append(b, ' '), int64(run), 10)
			}
			if len(runs) == 0 {
				b = append(b, " 0"...)
			}
		}
	}
	return b
}

// seen returns the lengths as seen in a view.
func (n nonogramItem) seen(v view) (rows, cols [][]int) {
	rows, cols = seenLines(v, n.Rows, n.Cols)
	if v.mirrored() {
		rows = backwards(rows)
	}
	if v.upsideDown() {
		cols = backwards(cols)
	}
	return rows, cols
}

// backwards returns each of lists reversed.
func backwards(lists [][]int) [][]int {
	reversed := make([][]int, len(lists))
	for i, list := range lists {
		reversed[i] = slices.Clone(list)
		slices.Reverse(reversed[i])
	}
	return reversed
}

func (n nonogramItem) Canonical() string {
	return least(func(v view) []byte { return n.appendRuns(nil, v) })
}

// Check refuses a record with a wrong solution.
func (n nonogramItem) Check() error { return checkBoards(n, len(n.Rows), n.Solution) }

func (n nonogramItem) Solve() string { return string(pictureSigns.append(nil, n.Solution)) }

// Score implements [task.Scorer]. All runs have to be right.
func (n nonogramItem) Score(text string) quintain.Verdict {
	return judge(text, len(n.Rows), pictureSigns.read, n.broken)
}

// broken returns the first line with wrong runs.
func (n nonogramItem) broken(cells []int) string {
	size := len(n.Rows)
	var p picture
	for at, c := range cells {
		p[at/size] |= uint16(c) << (at % size)
	}
	for i := range size {
		if got := runsOf(p.line(i, size)); !slices.Equal(got, n.Rows[i]) {
			return fmt.Sprintf("the runs of row %d are %v, want %v", i+1, got, n.Rows[i])
		}
		if got := runsOf(p.line(size+i, size)); !slices.Equal(got, n.Cols[i]) {
			return fmt.Sprintf("the runs of column %d are %v, want %v", i+1, got, n.Cols[i])
		}
	}
	return ""
}
