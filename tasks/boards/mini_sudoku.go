package boards

import (
	"fmt"
	"math/bits"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// miniSudoku asks for the only solution of a sudoku of four rows.
var miniSudoku = task.Spec[miniSudokuParams, miniSudokuItem]{
	Name:     "mini_sudoku",
	Category: "games",
	Doc: "Fill a sudoku of four rows and four columns. Every puzzle has exactly one solution. " +
		"At the hardest level, most numbers follow only from others that must be found first.",
	Source:  "Sudoku, after H. Garns' Number Place (1979); the settings are those of reasoning-gym and min_rounds.",
	Version: 6,
	Default: miniSudokuParams{MinEmpty: 8, MaxEmpty: 12},
	Levels: []miniSudokuParams{
		{MinEmpty: 2, MaxEmpty: 4},
		{MinEmpty: 4, MaxEmpty: 6},
		{MinEmpty: 6, MaxEmpty: 8},
		{MinEmpty: 8, MaxEmpty: 10},
		{MinEmpty: 10, MaxEmpty: 12},
		{MinEmpty: 10, MaxEmpty: 12, MinRounds: 4},
	},
	Few: []string{
		"There are two boards, but for the numbers and the order of rows and columns.",
		"There are two boards, but for the numbers and the order of rows and columns.",
		"",
		"",
		"There are few puzzles with so many empty cells, but for the numbers and the order of rows and columns.",
		"There are few puzzles with so many empty cells, but for the numbers and the order of rows and columns.",
	},
	Make: makeMiniSudoku,
}

// miniSudokuParams are the settings of one difficulty.
type miniSudokuParams struct {
	MinEmpty  int `json:"min_empty" want:"0 to 12"` // cells to fill
	MaxEmpty  int `json:"max_empty" want:"min_empty to 12"`
	MinRounds int `json:"min_rounds" want:"0 to 5"` // rounds to fill the board, if each fills all cells with a single candidate
}

// miniMaxRounds is the largest number of rounds that a puzzle takes.
const miniMaxRounds = 5

// Check refuses what no tag does.
func (p miniSudokuParams) Check() error {
	if p.MinRounds > 0 && 2*p.MinRounds+2 > p.MinEmpty {
		return fmt.Errorf("min_rounds is %d, want 0 or at most half of min_empty (%d) less 1", p.MinRounds, p.MinEmpty)
	}
	return nil
}

// miniSudokuItem is one puzzle.
type miniSudokuItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle" want:"4"` // by row; 0 is an empty cell
	Solution grid.Grid[int] `json:"solution" want:"4"`
	NumEmpty int            `json:"num_empty"`
	Phrasing int            `json:"phrasing,omitempty" want:"0 to 5"`
}

// A miniBoard is a filled board: cell i, counted by row, is the i-th nibble. There are only
// 288 boards, so solutions of a puzzle are counted by comparing with all of them.
type miniBoard uint64

// cell returns the number in the i-th cell.
func (b miniBoard) cell(i int) int { return int(b >> (4 * i) & 15) }

// put returns the board with n in the empty i-th cell.
func (b miniBoard) put(i, n int) miniBoard { return b | miniBoard(n)<<(4*i) }

// miniBoards lists all filled boards.
var miniBoards = sync.OnceValue(func() []miniBoard {
	boards := []miniBoard{0}
	for i := range 16 {
		var longer []miniBoard
		for _, b := range boards {
			for n := 1; n <= 4; n++ {
				if b.allows(i, n) {
					longer = append(longer, b.put(i, n))
				}
			}
		}
		boards = longer
	}
	return boards
})

// allows reports whether n may stand in cell i beside the cells before it.
func (b miniBoard) allows(i, n int) bool {
	for j := range i {
		if miniSees(i, j) && b.cell(j) == n {
			return false
		}
	}
	return true
}

// miniSees reports whether cells i and j share a row, column or box.
func miniSees(i, j int) bool {
	return i/4 == j/4 || i%4 == j%4 || i/8 == j/8 && i%4/2 == j%4/2
}

// makeMiniSudoku draws a filled board and empties cells in random order, each only if the
// solution stays unique. It starts again if the puzzle misses the settings.
func makeMiniSudoku(p miniSudokuParams, r *rng.Rand) (miniSudokuItem, error) {
	item := miniSudokuItem{
		NumEmpty: r.Between(p.MinEmpty, p.MaxEmpty),
		Phrasing: r.Between(0, len(miniSudokuPhrasings)-1),
	}
	order := [16]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	for {
		full := rng.Pick(r, miniBoards())
		rng.Shuffle(r, order[:])
		given, empty, lacking := ^miniBoard(0), 0, uint(0)
		for _, i := range order {
			if fewer := given &^ (15 << (4 * i)); empty < item.NumEmpty && miniUnique(full, fewer) {
				given, empty, lacking = fewer, empty+1, lacking|1<<full.cell(i)
			}
		}
		several := empty < 2 || bits.OnesCount(lacking) > 1 // a missing single number would need no solving
		if empty == item.NumEmpty && several && (p.MinRounds == 0 || miniRounds(full, given) >= p.MinRounds) {
			item.Puzzle, item.Solution = miniRows(full&given), miniRows(full)
			return item, nil
		}
	}
}

// miniUnique reports whether full is the only board with these given cells.
func miniUnique(full, given miniBoard) bool {
	found := 0
	for _, b := range miniBoards() {
		if (b^full)&given == 0 {
			found++
		}
	}
	return found == 1
}

// miniRounds returns the rounds needed to fill the board from its given cells, if each
// round fills all cells that see three numbers. That solves every puzzle of
// [makeMiniSudoku].
func miniRounds(full, given miniBoard) (rounds int) {
	for ; given != ^miniBoard(0); rounds++ {
		next := given
		for i := range 16 {
			if miniSeen(full, given, i) >= 3 {
				next |= 15 << (4 * i)
			}
		}
		if next == given {
			return 0 // no puzzle gets here
		}
		given = next
	}
	return rounds
}

// miniSeen counts the different numbers of full in the given cells that cell i sees.
func miniSeen(full, given miniBoard, i int) int {
	seen := uint(0)
	for j := range 16 {
		if miniSees(i, j) && given>>(4*j)&15 != 0 {
			seen |= 1 << full.cell(j)
		}
	}
	return bits.OnesCount(seen)
}

// miniRows returns the rows of a board; 0 is an empty cell.
func miniRows(b miniBoard) grid.Grid[int] {
	return grid.Build(4, 4, func(i, j int) int { return b.cell(4*i + j) })
}

// miniSudokuPhrasings are the wordings of the question, before and after the
// puzzle.
var miniSudokuPhrasings = [][2]string{
	{"Complete this 4x4 sudoku. Every row, every column and every 2x2 box must contain each of the numbers 1, 2, 3 and 4 exactly once. An underscore marks an empty cell.\n\n",
		"\n\nAnswer with the completed grid alone: four lines of four numbers, with one space between the numbers. This grid shows the form, but is not the solution:\n"},
	{"Here is a small sudoku of four rows and four columns; \"_\" marks the cells that are still empty:\n\n",
		"\n\nFill them in so that no number from 1 to 4 appears twice in a row, in a column or in one of the four 2x2 quarters. Give only the complete grid, printed as above. This grid shows the form, but breaks the rules:\n"},
	{"In the grid below, replace each _ by a number from 1 to 4. In the end, each row, each column and each 2x2 quarter of the grid has to contain all four numbers.\n\n",
		"\n\nWrite the full grid and nothing else, one row per line, with single spaces between the numbers. This grid shows the form, but is not the solution:\n"},
	{"This is a sudoku with the numbers 1 to 4; cells with _ are open:\n\n",
		"\n\nEach row, each column and each quarter of 2x2 cells needs a 1, a 2, a 3 and a 4. Work out the open cells and print the finished grid, one row per line and one space between numbers. This grid shows the form, but is not the solution:\n"},
	{"Someone began to fill a square of four by four cells with numbers and left the cells marked _ for you:\n\n",
		"\n\nThe rule is that the four numbers of every row, of every column and of every 2x2 corner block are 1, 2, 3 and 4 in some order. Finish the square. Answer with its four lines, with single spaces between the numbers. This grid shows the form, but breaks the rule:\n"},
	{"Solve this small sudoku, in which _ stands for an unknown number from 1 to 4:\n\n",
		"\n\nNo row, no column and none of the four 2x2 boxes may have a number twice. The answer is the grid without any _, in the same layout. This grid shows the form, but is not the solution:\n"},
}

// miniSudokuExample shows the form of an answer. It breaks the rules, so it is never right.
const miniSudokuExample = "1 2 3 4\n2 3 4 1\n3 4 1 2\n4 1 2 3"

func (m miniSudokuItem) Prompt() string {
	words := miniSudokuPhrasings[m.Phrasing]
	return words[0] + miniText(m.Puzzle) + words[1] + miniSudokuExample
}

// miniText prints a grid, with underscores for empty cells.
func miniText(rows grid.Grid[int]) string {
	return string(rows.Append(make([]byte, 0, 32), func(b []byte, n int) []byte { return append(b, "_123456789"[n]) }))
}

// Canonical implements [task.Canonicalizer]. Neither the numbers themselves matter nor the order of the
// rows and columns, as far as the rules do not care.
func (m miniSudokuItem) Canonical() string { return canon.Sudoku(m.Puzzle, 2) }

// Check refuses a record with a wrong solution.
func (m miniSudokuItem) Check() error {
	var board miniBoard
	for i := range 16 {
		row, column := i/4, i%4
		if len(m.Puzzle[row]) != 4 || len(m.Solution[row]) != 4 {
			return fmt.Errorf("row %d of puzzle or solution does not have 4 cells", row)
		}
		given, n := m.Puzzle[row][column], m.Solution[row][column]
		if n < 1 || n > 4 || !board.allows(i, n) || given != 0 && given != n {
			return fmt.Errorf("the %d of the solution in row %d, column %d breaks the rules", n, row, column)
		}
		board = board.put(i, n)
	}
	return nil
}

func (m miniSudokuItem) Solve() string { return miniText(m.Solution) }

// Score implements [task.Scorer]. A wrong grid earns something only with more than two
// thirds of the work done: each cell that differs from the solution, given ones too,
// cancels three empty cells. Otherwise copying the puzzle and filling it with the number it
// lacks most would get up to half of it right.
func (m miniSudokuItem) Score(text string) quintain.Verdict {
	cells, fault := answer.Board{Rows: 4, Cols: 4}.Read(text, func(cell string) int { return strings.Index(" 123456789", cell) })
	if fault != "" {
		return quintain.Malformed(fault)
	}
	wrong := 0
	for i, n := range cells {
		wrong += task.Bit(n != m.Solution[i/4][i%4])
	}
	if wrong == 0 {
		return quintain.Right()
	}
	credit, reason := 0.9*max(0, 1-3*float64(wrong)/float64(max(m.empty(), 1))), fmt.Sprintf("%d of 16 cells are wrong", wrong)
	if credit == 0 {
		return quintain.Wrong(reason)
	}
	return quintain.Partial(credit, reason)
}

// empty counts the cells to fill.
func (m miniSudokuItem) empty() int {
	count := 0
	for _, row := range m.Puzzle {
		for _, n := range row {
			if n == 0 {
				count++
			}
		}
	}
	return count
}
