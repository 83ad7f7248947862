package boards

import (
	"fmt"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// sudoku asks for the only solution of a sudoku.
var sudoku = task.Spec[sudokuParams, sudokuItem]{
	Name:     "sudoku",
	Category: "games",
	Doc:      "Fill a sudoku of nine rows and nine columns. Every puzzle has exactly one solution.",
	Source:   "Sudoku, after H. Garns' Number Place (1979); the settings are those of reasoning-gym.",
	Version:  3,
	Default:  sudokuParams{MinEmpty: 30, MaxEmpty: 50},
	Levels: []sudokuParams{
		{MinEmpty: 3, MaxEmpty: 6},
		{MinEmpty: 10, MaxEmpty: 18},
		{MinEmpty: 25, MaxEmpty: 35},
		{MinEmpty: 40, MaxEmpty: 46},
		{MinEmpty: 47, MaxEmpty: 51},
		{MinEmpty: 53, MaxEmpty: 55},
	},
	Make: makeSudoku,
}

const sudokuSide = 9

// sudokuParams are the settings of one difficulty. Above 55 empty cells, a problem may have
// too few: it takes the best of a few tries.
type sudokuParams struct {
	MinEmpty int `json:"min_empty" want:"0 to 64"` // cells to fill
	MaxEmpty int `json:"max_empty" want:"min_empty to 64: fewer than 17 given cells never leave one solution"`
}

// sudokuItem is one puzzle.
type sudokuItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle"` // by row; 0 is an empty cell
	Solution grid.Grid[int] `json:"solution"`
	NumEmpty int            `json:"num_empty"`
	Phrasing int            `json:"phrasing,omitempty" want:"0 to 5"`
}

// sudokuRules are the rules of every sudoku.
var sudokuRules = sync.OnceValue(func() *numbering {
	units := lines(sudokuSide)
	for i := range sudokuSide {
		box := make([]uint8, sudokuSide)
		for j := range box {
			box[j] = uint8((i/3*3+j/3)*sudokuSide + i%3*3 + j%3)
		}
		units = append(units, box)
	}
	return newNumbering(sudokuSide, units)
})

// makeSudoku fills a board at random and empties some cells.
func makeSudoku(p sudokuParams, r *rng.Rand) (sudokuItem, error) {
	rules := sudokuRules()
	empty := r.Between(p.MinEmpty, p.MaxEmpty)
	item := sudokuItem{NumEmpty: -1, Phrasing: r.Between(0, len(sudokuPhrasings)-1)}
	const tries = 8
	for try := 0; try < tries && item.NumEmpty < empty; try++ {
		full := rules.fill(r)
		cells := slices.Clone(full)
		if emptied := rules.dig(cells, empty, r); emptied > item.NumEmpty {
			item.Puzzle, item.Solution, item.NumEmpty = square(cells, sudokuSide), square(full, sudokuSide), emptied
		}
	}
	return item, nil
}

// square returns the rows of a square grid.
func square(cells []int, size int) grid.Grid[int] {
	return grid.Build(size, size, func(i, j int) int { return cells[i*size+j] })
}

// sudokuPhrasings are the wordings of the question, before and after the puzzle.
var sudokuPhrasings = [][2]string{
	{"Complete this sudoku. Every row, every column and every 3x3 box must contain each of the digits 1 to 9 exactly once. An underscore marks an empty cell.\n\n",
		"\n\nAnswer with the completed grid alone: nine lines of nine digits, with a single space between two digits."},
	{"Here is a grid:\n\n", "\n\nThe grid above is a sudoku with some of its cells left blank, which are shown as _. Fill in the blanks with digits from 1 to 9 so that no digit is repeated in a row, in a column or in one of the nine 3x3 boxes. " +
		"Reply with all nine rows, given digits included, one row per line and the digits separated by single spaces."},
	{"What does this sudoku look like once it is solved?\n\n",
		"\n\nEach _ stands for a digit that is missing. Write nothing but the full grid, in the same layout: a line for each row, a space between neighboring digits. As usual, each digit from 1 to 9 belongs once in each row, column and 3x3 box."},
	{"Sudoku rules: a 9x9 grid is divided into nine 3x3 boxes; in each row, each column and each box, the digits 1 to 9 all occur, so none of them occurs twice.\n\nPuzzle (_ = empty):\n\n",
		"\n\nFind the only solution, and give it as 9 lines of 9 digits separated by spaces. Do not add anything else."},
	{"A friend has given up on the following sudoku, and every digit that is already there is right. Finish it.\n\n",
		"\n\nThe empty cells are marked _. In the end, the nine digits from 1 to 9 all have to appear in every row, in every column and in every 3x3 box. I want to see the finished grid only, with each row on its own line and single spaces between the digits."},
	{"Your answer to this task is a grid of nine rows, each on a line of its own, and each made up of nine digits with spaces between them. It is the solution of the sudoku below, where _ marks the cells that you have to fill: " +
		"a digit from 1 to 9 may stand only once in a row, once in a column and once in a 3x3 box.\n\n", "\n\nGive the whole grid and no other text."},
}

func (s sudokuItem) Prompt() string {
	words := sudokuPhrasings[s.Phrasing]
	b := append(make([]byte, 0, task.PromptRoom), words[0]...)
	return string(append(appendBlanks(b, s.Puzzle), words[1]...))
}

// appendBlanks appends a grid with underscores for empty cells.
func appendBlanks(b []byte, rows grid.Grid[int]) []byte {
	return rows.Append(b, func(b []byte, n int) []byte { return append(b, "_123456789"[n]) })
}

// Canonical implements [task.Canonicalizer]. Neither the numbers themselves matter nor the order of the
// rows and columns, as far as the rules do not care.
func (s sudokuItem) Canonical() string { return canon.Sudoku(s.Puzzle, 3) }

// Check refuses a record with a wrong solution.
func (s sudokuItem) Check() error {
	return sudokuRules().checkRecord(s.Puzzle, s.Solution)
}

// checkRecord refuses a puzzle with a wrong solution.
func (n *numbering) checkRecord(puzzle, solution grid.Grid[int]) error {
	full := make([]int, 0, n.cells)
	for i := range n.size {
		if len(puzzle) != n.size || len(solution) != n.size || len(puzzle[i]) != n.size || len(solution[i]) != n.size {
			return fmt.Errorf("puzzle or solution does not have %d rows of %d cells", n.size, n.size)
		}
		for j, k := range solution[i] {
			if given := puzzle[i][j]; k < 1 || k > n.size || given != 0 && given != k {
				return fmt.Errorf("solution has %d in row %d, column %d, where puzzle has %d", k, i+1, j+1, given)
			}
		}
		full = append(full, solution[i]...)
	}
	if n.breaks(full) {
		return fmt.Errorf("solution breaks the rules: %v", solution)
	}
	return nil
}

func (s sudokuItem) Solve() string { return grid.Ints(s.Solution) }

// Score implements [task.Scorer]. A grid with a wrong cell earns nothing.
func (s sudokuItem) Score(text string) quintain.Verdict { return scoreNumbers(s.Solution, text) }

// scoreNumbers compares the digits of an answer with the only solution.
func scoreNumbers(solution grid.Grid[int], text string) quintain.Verdict {
	size := len(solution)
	cells, fault := answer.Board{Rows: size, Cols: size}.Read(text, digit)
	if fault != "" {
		return quintain.Malformed(fault)
	}
	wrong := 0
	for i, n := range cells {
		if n != solution[i/size][i%size] {
			wrong++
		}
	}
	if wrong > 0 {
		return quintain.Wrong(fmt.Sprintf("%d of %d cells are wrong", wrong, len(cells)))
	}
	return quintain.Right()
}
