package boards

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// kakurasu asks for the only set of marks with given weighted sums.
var kakurasu = task.Spec[kakurasuParams, kakurasuItem]{
	Name:     "kakurasu",
	Category: "games",
	Doc: "Mark cells of a grid so that the column numbers of the marked cells add up to the sum of each row, and the row numbers to that of each column. " +
		"Every puzzle has exactly one solution.",
	Source:  "Kakurasu, a Japanese pencil puzzle also known as Index Sums; the settings are those of reasoning-gym.",
	Version: 3,
	Default: kakurasuParams{MinRows: 4, MaxRows: 5, MinCols: 4, MaxCols: 5, POnes: 0.3, MaxRetries: 1000},
	Levels: []kakurasuParams{
		{MinRows: 3, MaxRows: 3, MinCols: 3, MaxCols: 4, POnes: 0.4, MaxRetries: 1000},
		{MinRows: 4, MaxRows: 4, MinCols: 4, MaxCols: 4, POnes: 0.4, MaxRetries: 1000},
		{MinRows: 4, MaxRows: 5, MinCols: 5, MaxCols: 5, POnes: 0.4, MaxRetries: 1000},
		{MinRows: 5, MaxRows: 6, MinCols: 6, MaxCols: 6, POnes: 0.4, MaxRetries: 1000},
		{MinRows: 7, MaxRows: 7, MinCols: 7, MaxCols: 7, POnes: 0.4, MaxRetries: 1000},
		{MinRows: 8, MaxRows: 9, MinCols: 8, MaxCols: 9, POnes: 0.4, MaxRetries: 1000},
	},
	Few: []string{
		"A board of 3 x 3 or 3 x 4 squares has few fillings.",
		"A board of 4 x 4 squares has few fillings.",
	},
	Make: makeKakurasu,
}

// kakurasuParams are the settings of one difficulty.
type kakurasuParams struct {
	MinRows    int     `json:"min_rows" want:"3 to 9"`
	MaxRows    int     `json:"max_rows" want:"min_rows to 9"`
	MinCols    int     `json:"min_cols" want:"3 to 9"`
	MaxCols    int     `json:"max_cols" want:"min_cols to 9"`
	POnes      float64 `json:"p_ones" want:"0 to 1"`           // probability of marking a cell, before grids with several solutions are rejected
	MaxRetries int     `json:"max_retries" want:"1 to 100000"` // limit of grids drawn for a unique solution
}

// kakurasuMaxSide limits the rows and the columns of a grid.
const kakurasuMaxSide = 9

// kakurasuItem is one puzzle.
type kakurasuItem struct {
	NRows    int            `json:"n_rows" want:"1 to 9"`
	NCols    int            `json:"n_cols" want:"1 to 9"`
	POnes    float64        `json:"p_ones"`
	Puzzle   grid.Grid[int] `json:"puzzle"` // the empty grid
	RowSums  []int          `json:"row_sums" want:"n_rows"`
	ColSums  []int          `json:"col_sums" want:"n_cols"`
	Solution grid.Grid[int] `json:"solution"` // 1 is a marked cell
	Phrasing int            `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeKakurasu draws grids until one has sums that no other grid has. It fails if none
// comes up, as in a large grid with most cells marked.
func makeKakurasu(p kakurasuParams, r *rng.Rand) (kakurasuItem, error) {
	item := kakurasuItem{
		NRows: r.Between(p.MinRows, p.MaxRows), NCols: r.Between(p.MinCols, p.MaxCols), POnes: p.POnes,
		Phrasing: r.Between(0, len(kakurasuPhrasings)-1),
	}
	limit := int(p.POnes * (1 << 16)) // an integer, so that no rounding of products decides
	for range p.MaxRetries {
		marks := make(marking, item.NRows)
		for at := range item.NRows * item.NCols {
			if r.Between(0, 1<<16-1) < limit {
				marks[at/item.NCols] |= 1 << (at % item.NCols)
			}
		}
		item.RowSums, item.ColSums = marks.sums(item.NCols)
		if item.alone() {
			item.Puzzle = grid.New[int](item.NRows, item.NCols)
			item.Solution = grid.Build(item.NRows, item.NCols, func(i, j int) int { return int(marks[i] >> j & 1) })
			return item, nil
		}
	}
	return item, fmt.Errorf("no grid of %d rows and %d columns with one solution was found in max_retries (%d) tries, with p_ones %v", item.NRows, item.NCols, p.MaxRetries, p.POnes)
}

// A marking is the marked cells of a grid, by row: bit j stands for column j.
type marking []uint16

// sums returns the weighted sums of the rows and columns.
func (m marking) sums(cols int) (rows, columns []int) {
	rows, columns = make([]int, len(m)), make([]int, cols)
	for i, row := range m {
		for ; row != 0; row &= row - 1 {
			j := bits.TrailingZeros16(row)
			rows[i] += j + 1
			columns[j] += i + 1
		}
	}
	return rows, columns
}

// A kakurasuCount counts the markings with given sums, row by row.
type kakurasuCount struct {
	rowSums []int
	left    [kakurasuMaxSide]int // by column: the rest of its sum
	cols    int
	found   int
	steps   int // steps left
}

// alone reports whether exactly one marking has the sums. If that takes too long to tell,
// it reports false.
func (k kakurasuItem) alone() bool {
	const most = 20_000
	c := kakurasuCount{rowSums: k.RowSums, cols: k.NCols, steps: most}
	copy(c.left[:], k.ColSums)
	c.from(len(k.RowSums) - 1)
	return c.found == 1 && c.steps > 0
}

// from counts the markings of a row and those above it.
func (c *kakurasuCount) from(row int) {
	if row < 0 {
		c.found++
		return
	}
	c.fill(row, c.cols-1, c.rowSums[row])
}

// fill marks cells of a row, from a column to the left, that make up the sum. The rows
// above can add any number from 0 to 1 + 2 + … to a column.
func (c *kakurasuCount) fill(row, col, sum int) {
	if c.steps--; c.steps < 0 || c.found > 1 || sum > (col+1)*(col+2)/2 {
		return
	}
	if col < 0 {
		c.from(row - 1)
		return
	}
	above := row * (row + 1) / 2
	if c.left[col] <= above {
		c.fill(row, col-1, sum)
	}
	if weight := row + 1; sum > col && c.left[col] >= weight && c.left[col]-weight <= above {
		c.left[col] -= weight
		c.fill(row, col-1, sum-col-1)
		c.left[col] += weight
	}
}

// kakurasuPhrasings are the wordings of the question, before and after the grid. R and C
// stand for the numbers of rows and columns.
var kakurasuPhrasings = [][2]string{
	{"Solve this kakurasu. Mark some cells of the grid so that all sums are right. A marked cell counts its column number toward the sum of its row, which is given at the right, and its row number toward the sum of its column, which is given at the bottom. Columns are numbered from left to right, rows from top to bottom.\n\n",
		"\n\nAnswer with the grid alone: R lines of C digits separated by single spaces, 1 for a marked cell and 0 for any other."},
	{"Here is a puzzle:\n\n", "\n\nThe grid above is still empty. Its rows and columns are numbered at the left and at the top. Write 1 or 0 into every cell. For each row, add the numbers of the columns in which it has a 1: the total must be the number at the right end of the row. For each column, add the numbers of the rows in which it has a 1: the total must be the number below the column. " +
		"Which filling works? Reply with R lines of C digits, single spaces between them."},
	{"Each cell of the grid below is either on or off. The j-th cell of a row is worth j to its row, and the i-th cell of a column is worth i to its column, if the cell is on; a cell that is off is worth nothing. The totals of the rows stand to the right of the grid, and those of the columns under it.\n\n",
		"\n\nFind out which cells are on. Write R rows of C numbers, 1 for on and 0 for off, with a space between neighboring numbers and each row on a line of its own. Write nothing else."},
	{"Where do the ones go?\n\n",
		"\n\nRules of this puzzle:\n1. Every dot is to be replaced by 0 or 1.\n2. A 1 in column k adds k to the sum of its row. The sums of the rows are on the right.\n3. A 1 in row k adds k to the sum of its column. The sums of the columns are at the bottom.\n\nThere is exactly one solution. Print it as R lines, each with C digits and single spaces between the digits."},
	{"A board has R rows and C columns. Stones lie on some of its squares, at most one on each. Somebody has written down a number for each row, the sum of the positions of its stones counted from the left, and a number for each column, the sum of the positions of its stones counted from the top:\n\n",
		"\n\nThe numbers of the rows are at the right, those of the columns below the board. Work out where the stones are, and give the board as R lines of C digits with spaces between them: 1 for a square with a stone, 0 for one without. No other text, please."},
	{"Give R lines of C digits, each 0 or 1 and with single spaces between them, such that\n- in every line, the positions of the ones, counted 1, 2, 3 and so on from the left, add up to the number at the right end of that line in the picture below, and\n- in every column, the positions of the ones, counted from the top, add up to the number under that column.\n\n",
		"\n\nNothing but the digits counts as an answer, and only one arrangement of them is right."},
}

func (k kakurasuItem) Prompt() string {
	words := kakurasuPhrasings[k.Phrasing]
	b := k.appendSides(make([]byte, 0, 2*task.PromptRoom), words[0])
	return string(k.appendSides(k.appendGrid(b), words[1]))
}

// appendSides appends text with the numbers of rows and columns in place of R and C.
func (k kakurasuItem) appendSides(b []byte, text string) []byte {
	for i := range len(text) {
		alone := (i == 0 || text[i-1] == ' ') && i+1 < len(text) && text[i+1] == ' '
		switch {
		case text[i] == 'R' && alone:
			b = strconv.AppendInt(b, int64(k.NRows), 10)
		case text[i] == 'C' && alone:
			b = strconv.AppendInt(b, int64(k.NCols), 10)
		default:
			b = append(b, text[i])
		}
	}
	return b
}

// appendGrid appends the empty grid with the numbers of its rows and columns and their
// sums.
func (k kakurasuItem) appendGrid(b []byte) []byte {
	b = append(b, "   "...)
	for j := range k.NCols {
		b = fmt.Appendf(b, "%3d", j+1)
	}
	b = k.appendRuler(append(b, '\n'))
	for i, sum := range k.RowSums {
		b = fmt.Appendf(b, "%d |", i+1)
		for range k.NCols {
			b = append(b, "  ."...)
		}
		b = fmt.Appendf(b, " |%3d\n", sum)
	}
	b = append(k.appendRuler(b), "   "...)
	for _, sum := range k.ColSums {
		b = fmt.Appendf(b, "%3d", sum)
	}
	return b
}

// appendRuler appends a line above or below the cells.
func (k kakurasuItem) appendRuler(b []byte) []byte {
	b = append(b, "  +"...)
	for range k.NCols {
		b = append(b, "---"...)
	}
	return append(b, "-+\n"...)
}

func (k kakurasuItem) Canonical() string {
	sums := [2][]int{k.RowSums, k.ColSums}
	return canon.Least(4, func(i int) string {
		rows, cols := sums[i%2], sums[1-i%2]
		if i >= 2 {
			rows, cols = unmarkedSums(rows, len(cols)), unmarkedSums(cols, len(rows))
		}
		return fmt.Sprint(rows, cols)
	})
}

// unmarkedSums returns the sums of the cells that are not marked, from those of the marked ones, of
// lines with n cells.
func unmarkedSums(marked []int, n int) []int {
	sums := make([]int, len(marked))
	for i, sum := range marked {
		sums[i] = n*(n+1)/2 - sum
	}
	return sums
}

// Check refuses a record with a wrong solution.
func (k kakurasuItem) Check() error {
	return task.CheckSolution(k)
}

func (k kakurasuItem) Solve() string { return grid.Ints(k.Solution) }

// Score implements [task.Scorer]. All sums have to be right.
func (k kakurasuItem) Score(text string) quintain.Verdict {
	cells, fault := answer.Board{Rows: k.NRows, Cols: k.NCols}.Read(text, zeroOrOne)
	if fault != "" {
		return quintain.Malformed(fault)
	}
	marks := make(marking, k.NRows)
	for i, n := range cells {
		marks[i/k.NCols] |= uint16(n) << (i % k.NCols)
	}
	rows, columns := marks.sums(k.NCols)
	for i, sum := range rows {
		if sum != k.RowSums[i] {
			return quintain.Wrong(fmt.Sprintf("the sum of row %d is %d, want %d", i+1, sum, k.RowSums[i]))
		}
	}
	for j, sum := range columns {
		if sum != k.ColSums[j] {
			return quintain.Wrong(fmt.Sprintf("the sum of column %d is %d, want %d", j+1, sum, k.ColSums[j]))
		}
	}
	return quintain.Right()
}

// zeroOrOne reads an unmarked or marked cell.
func zeroOrOne(text string) int {
	switch text {
	case "0":
		return 0
	case "1":
		return 1
	}
	return -1
}
