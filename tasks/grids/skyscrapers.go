package grids

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// skyscrapers asks for the only heights of buildings that look right from all sides.
var skyscrapers = task.Spec[skyscrapersParams, skyscrapersItem]{
	Name:     "skyscrapers",
	Category: "games",
	Doc: "Fill a square so that no row or column repeats a height and as many buildings are visible from the edge as the numbers around it say. " +
		"Every puzzle has exactly one solution.",
	Source:  "Skyscrapers, a pencil puzzle of the World Puzzle Championship (1992).",
	Version: 3,
	Default: skyscrapersParams{MinSize: 5, MaxSize: 5},
	Levels: []skyscrapersParams{
		{MinSize: 5, MaxSize: 5, Given: 30},
		{MinSize: 5, MaxSize: 5, Given: 0},
		{MinSize: 6, MaxSize: 6, Given: 15},
		{MinSize: 6, MaxSize: 6, Given: 0},
		{MinSize: 7, MaxSize: 7, Given: 20},
		{MinSize: 7, MaxSize: 7, Given: 5},
	},
	Make: makeSkyscrapers,
}

// skyscrapersParams are the settings of one difficulty.
type skyscrapersParams struct {
	MinSize int `json:"min_size" want:"4 to 7"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 7"`
	Given   int `json:"given_percent" want:"0 to 80"` // of the heights, before those that the solution needs
}

// skyscrapersItem is one puzzle.
type skyscrapersItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle" each:"0 or more and at most solution"` // the board, 0 for an unknown height, with a frame of the numbers, 0 for none
	Solution grid.Grid[int] `json:"solution" want:"1 to 7" each:"1 or more and at most solution"`
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

// makeSkyscrapers draws heights, and adds numbers around them, and heights if these do not
// suffice, until no other heights fit.
func makeSkyscrapers(p skyscrapersParams, r *rng.Rand) (skyscrapersItem, error) {
	const steps = 300
	size := r.Between(p.MinSize, p.MaxSize)
	own := drawLatin(size, r)
	item := skyscrapersItem{Puzzle: grid.New[int](size+2, size+2), Solution: square(own, size), Phrasing: skyscrapersWordings.draw(r)}
	give := func(at int) { item.Puzzle[at/size+1][at%size+1] = own[at] }
	for range size * size * p.Given / 100 {
		give(r.Between(0, size*size-1))
	}
	edges := edgesOf(size)
	rng.Shuffle(r, edges)
	for _, e := range edges[:size] { // fewer are hardly ever enough
		item.Puzzle[e.i][e.j] = e.visible(own, size)
	}
	for {
		search := item.search(own, steps)
		if !search.run() {
			if search.steps >= 0 {
				return item, nil
			}
			give(pick(search.unsure, r))
			continue
		}
		tell, found := edge{}, false
		for _, e := range edges {
			if !found && item.Puzzle[e.i][e.j] == 0 && e.visible(own, size) != e.visible(search.cells, size) {
				tell, found = e, true
			}
		}
		if found {
			item.Puzzle[tell.i][tell.j] = tell.visible(own, size)
			continue
		}
		give(pick(differing(own, search.cells), r))
	}
}

// An edge is the place of a number in the frame, and the way that it looks.
type edge struct{ i, j, di, dj int }

// edgesOf returns the places around a board.
func edgesOf(size int) (all []edge) {
	for k := 1; k <= size; k++ {
		all = append(all, edge{0, k, 1, 0}, edge{size + 1, k, -1, 0}, edge{k, 0, 0, 1}, edge{k, size + 1, 0, -1})
	}
	return all
}

// cell returns the cell at a distance, 0 for the nearest.
func (e edge) cell(d, size int) int { return (e.i-1+(d+1)*e.di)*size + e.j - 1 + (d+1)*e.dj }

// step returns how far a cell is from the one before, as the edge looks.
func (e edge) step(size int) int { return e.di*size + e.dj }

// visible counts the buildings that are visible from an edge.
func (e edge) visible(cells []int, size int) (n int) {
	highest := 0
	for d := range size {
		if h := cells[e.cell(d, size)]; h > highest {
			highest, n = h, n+1
		}
	}
	return n
}

// allows reports whether a number of visible buildings is possible, when some heights are not
// known.
func (e edge) allows(cells []int, size, want int) bool {
	highest, n := 0, 0
	at, step := e.cell(0, size), e.step(size)
	for range size {
		h := cells[at]
		at += step
		if h == 0 {
			return n <= want && n+size-highest >= want && (highest == size || n < want) && (highest < size || n == want)
		}
		if h > highest {
			highest, n = h, n+1
		}
	}
	return n == want
}

// search returns a search for other heights.
func (s skyscrapersItem) search(known []int, steps int) *latinSearch {
	size := len(s.Solution)
	allowed := anyNumber(size)
	var across [2 * latinMaxSide][]edge // by row, then by column: the numbers at its ends
	for _, e := range edgesOf(size) {
		want := s.Puzzle[e.i][e.j]
		if want == 0 {
			continue
		}
		line := e.i - 1
		if e.di != 0 {
			line = size + e.j - 1
		}
		across[line] = append(across[line], e)
		for d := range want - 1 { // room for higher ones behind
			allowed[e.cell(d, size)] &= 1<<(size-want+1+d) - 1
		}
		if want == 1 {
			allowed[e.cell(0, size)] &= 1 << (size - 1)
		}
	}
	for at := range allowed {
		if h := s.Puzzle[at/size+1][at%size+1]; h != 0 {
			allowed[at] &= 1 << (h - 1)
		}
	}
	fits := func(cells []int, at int) bool {
		for _, line := range [2]int{at / size, size + at%size} {
			for _, e := range across[line] {
				if !e.allows(cells, size, s.Puzzle[e.i][e.j]) {
					return false
				}
			}
		}
		return true
	}
	return &latinSearch{size: size, allowed: allowed, fits: fits, known: known, steps: steps}
}

// skyscrapersWordings are the wordings of the question.
var skyscrapersWordings = wordings{
	{"Solve this skyscrapers puzzle. Each cell of the %n by %n board is a building with 1 to %n floors. Every row and every column has each height exactly once. A number outside of the board says how many buildings of its row or column can be seen from there: a building hides all lower ones behind it. A dot means that no number is given; an underscore is a cell whose height is not known yet.",
		"There is one solution. Answer with the heights alone, without the numbers around them: %n lines of %n digits with single spaces between them."},
	{"How high are the buildings?",
		"The picture shows a city of %n rows and %n columns from above, with some heights (_ is an unknown one). In each row and in each column, the buildings have the heights 1 to %n in some order. The numbers at the four edges were written down by people who stood there and looked along the row or the column beside them. They counted the buildings that they saw, and they saw those that are higher than all buildings in front. Where there is a dot, nobody counted.\n\nWrite the heights of all buildings as %n lines of %n digits, separated by single spaces and without the numbers at the edges. Write nothing else. Only one city is right."},
	{"Put a number from 1 to %n into each empty cell (_) of the following square, so that no row and no column contains a number twice.",
		"The numbers outside, at the left and right ends of rows and at the upper and lower ends of columns, are conditions as well. Go through the line from that end and count the cells whose number exceeds every number that came before; the first cell always counts. The result has to be the number at that end. A dot there is no condition. Exactly one square meets all conditions. Reply with its %n rows, a space between two numbers, and leave out what stands around the square."},
	{"Your answer will be a Latin square of order %n, that is, %n lines of %n numbers (single spaces between them, no other text) in which each of the numbers 1 to %n occurs once per line and once per column. Think of the numbers as heights. The clues:",
		"Inside of the frame you see the heights that are given, and _ for those that are not. A clue outside of the frame is the number of heights visible from its position when one looks straight into the line or column next to it, given that a height is visible if no height before it is larger. A dot is a missing clue. Just one square agrees with all clues."},
	{"On a plot of land with %n rows of %n lots, a tower is built on every lot. The towers in a row differ in height, and so do those in a column; they have 1, 2, 3 and so on up to %n storeys.",
		"Seen from the border, a tall tower blocks the view of every shorter tower that stands behind it. The numbers at the border (left, right, top, bottom) tell how many towers are in sight from that point along the line, and a dot tells nothing. Underscores are towers with an unknown number of storeys. Determine them all; it can be done in only one way. Print the storeys row by row, in %n lines of %n numbers with a space between numbers, and omit the border."},
	{"Complete the inner board.",
		"1. The inner board has %n rows and %n columns. _ marks a cell to fill in.\n2. A row holds the digits 1 to %n, each once. The same goes for a column.\n3. A digit is seen from one end of its row or column if all digits nearer to that end are smaller. The clue at an end of a row or column is how many of its digits are seen from that end. A dot there means that the clue is missing.\n\nThe solution is unique. Give the completed inner board without the clues, as %n lines with %n digits each, separated by single spaces."},
}

func (s skyscrapersItem) Prompt() string {
	size := len(s.Solution)
	return skyscrapersWordings.ask(s.Phrasing, s.appendBoard(nil), func(byte) string { return strconv.Itoa(size) })
}

// appendBoard appends the board in its frame.
func (s skyscrapersItem) appendBoard(b []byte) []byte {
	size := len(s.Solution)
	ruler := func(b []byte) []byte {
		b = append(b, "  +-"...)
		for range size {
			b = append(b, "--"...)
		}
		return append(b, "+\n"...)
	}
	for i, row := range s.Puzzle {
		switch i {
		case 0, size + 1:
			b = append(b, "   "...)
			for _, n := range row[1 : size+1] {
				b = append(b, ' ', ".1234567"[n])
			}
		default:
			b = append(b, ".1234567"[row[0]], ' ', '|')
			for _, n := range row[1 : size+1] {
				b = append(b, ' ', "_1234567"[n])
			}
			b = append(b, ' ', '|', ' ', ".1234567"[row[size+1]])
		}
		if i <= size {
			b = append(b, '\n')
		}
		if i == 0 || i == size {
			b = ruler(b)
		}
	}
	return b
}

func (s skyscrapersItem) Canonical() string {
	return least(func(v view) []byte { return grid.AppendInts(nil, seen(v, s.Puzzle)) })
}

// Check refuses a record with a wrong solution.
func (s skyscrapersItem) Check() error {
	size := len(s.Solution)
	if len(s.Puzzle) != size+2 || slices.ContainsFunc(s.Puzzle, func(row []int) bool { return len(row) != size+2 }) {
		return fmt.Errorf("puzzle has %d rows, or others of another length, want %d", len(s.Puzzle), size+2)
	}
	return checkBoards(s, size, s.Solution)
}

func (s skyscrapersItem) Solve() string { return grid.Ints(s.Solution) }

// Score implements [task.Scorer]. All heights have to be right.
func (s skyscrapersItem) Score(text string) quintain.Verdict {
	return judge(text, len(s.Solution), readDigit, s.broken)
}

// readDigit reads a digit from 1 to 9.
func readDigit(text string) int {
	if len(text) != 1 {
		return -1
	}
	return readNumber(text)
}

// broken returns the first rule that heights break.
func (s skyscrapersItem) broken(cells []int) string {
	size := len(s.Solution)
	if at, found := repeated(cells, size); found {
		return "a number occurs before in its row or column, or is too large, in " + where(at, size)
	}
	for at, h := range cells {
		if given := s.Puzzle[at/size+1][at%size+1]; given != 0 && given != h {
			return "the given number has changed in " + where(at, size)
		}
	}
	for _, e := range edgesOf(size) {
		if want, n := s.Puzzle[e.i][e.j], e.visible(cells, size); want != 0 && n != want {
			return fmt.Sprintf("from one end of row %d or column %d, %d buildings are visible, want %d", e.i, e.j, n, want)
		}
	}
	return ""
}
