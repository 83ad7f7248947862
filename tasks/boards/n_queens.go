package boards

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// nQueens asks to add queens to a chessboard so that none attacks another.
var nQueens = task.Spec[nQueensParams, nQueensItem]{
	Name:     "n_queens",
	Category: "games",
	Doc:      "Add queens to a board until there is one in each row and no two attack each other. Any such board is right.",
	Source:   "The eight queens puzzle, M. Bezzel (1848); the settings are those of reasoning-gym.",
	Version:  4,
	Default:  nQueensParams{N: 8, MinRemove: 1, MaxRemove: 7},
	Levels: []nQueensParams{
		{N: 5, MinRemove: 1, MaxRemove: 2},
		{N: 7, MinRemove: 2, MaxRemove: 4},
		{N: 8, MinRemove: 4, MaxRemove: 6},
		{N: 11, MinRemove: 6, MaxRemove: 8},
		{N: 13, MinRemove: 8, MaxRemove: 10},
		{N: 16, MinRemove: 11, MaxRemove: 14},
	},
	Few: []string{
		"There are 10 ways to place five queens.",
		"There are 40 ways to place seven queens.",
		"There are 92 ways to place eight queens.",
	},
	Make: makeNQueens,
	Many: true,
}

// nQueensParams are the settings of one difficulty.
type nQueensParams struct {
	N         int `json:"n" want:"4 to 20"`         // rows and columns
	MinRemove int `json:"min_remove" want:"1 to n"` // queens to add
	MaxRemove int `json:"max_remove" want:"min_remove to n"`
}

// mostQueens limits the rows of a board.
const mostQueens = 20

// nQueensItem is one board.
type nQueensItem struct {
	Puzzle       grid.Grid[string]   `json:"puzzle" want:"1 to 20"`          // by row; "Q" is a queen, "_" an empty square
	Solutions    []grid.Grid[string] `json:"solutions"`                      // one in our records, all in those of reasoning-gym
	NumRemoved   int                 `json:"num_removed"`                    // queens to add
	ValidAnswers []string            `json:"valid_answers" want:"1 or more"` // the solutions as printed
	Phrasing     int                 `json:"phrasing,omitempty" want:"0 to 5"`
}

// A queenRows is a board with a queen in each row: the columns of the queens.
type queenRows []int

// makeNQueens draws a full board and removes queens.
func makeNQueens(p nQueensParams, r *rng.Rand) (nQueensItem, error) {
	full := drawQueens(p.N, r)
	removed := r.Between(p.MinRemove, p.MaxRemove)
	gone := make([]bool, p.N)
	for i := range gone {
		gone[i] = i < removed
	}
	rng.Shuffle(r, gone)
	board := func(left func(row int) bool) grid.Grid[string] {
		return grid.Build(p.N, p.N, func(i, j int) string {
			if full[i] == j && left(i) {
				return "Q"
			}
			return "_"
		})
	}
	item := nQueensItem{NumRemoved: removed, Phrasing: r.Between(0, len(nQueensPhrasings)-1)}
	item.Puzzle = board(func(row int) bool { return !gone[row] })
	item.Solutions = []grid.Grid[string]{board(func(int) bool { return true })}
	item.ValidAnswers = []string{queensText(item.Solutions[0])}
	return item, nil
}

// queensText prints a board.
func queensText(board grid.Grid[string]) string {
	return string(appendQueens(make([]byte, 0, 2*len(board)*len(board)), board))
}

// appendQueens appends a board.
func appendQueens(b []byte, board grid.Grid[string]) []byte {
	return board.Append(b, func(b []byte, square string) []byte { return append(b, square...) })
}

// drawQueens fills a board of n ≥ 4 rows at random. It backtracks from a row without a free
// square, and starts again after many steps.
func drawQueens(n int, r *rng.Rand) queenRows {
	for {
		q := queenSearch{n: n, rand: r, steps: 50 * n}
		if q.place(0) {
			return q.rows[:n]
		}
	}
}

// A queenSearch fills a board from above. The sets have a bit for each column.
type queenSearch struct {
	n               int
	rand            *rng.Rand
	rows            [mostQueens]int
	columns         uint32
	falling, rising uint64 // diagonals, by row - column + n and by row + column
	steps           int    // steps left
}

// place fills a row and those below it.
func (q *queenSearch) place(row int) bool {
	if row == q.n {
		return true
	}
	var squares [mostQueens]int
	free := squares[:0]
	for j := range q.n {
		if q.columns>>j&1 == 0 && q.falling>>(row-j+q.n)&1 == 0 && q.rising>>(row+j)&1 == 0 {
			free = append(free, j)
		}
	}
	rng.Shuffle(q.rand, free)
	for _, j := range free {
		if q.steps--; q.steps < 0 {
			return false
		}
		q.toggle(row, j)
		if q.rows[row] = j; q.place(row + 1) {
			return true
		}
		q.toggle(row, j)
	}
	return false
}

// toggle adds a queen to the sets, or removes it.
func (q *queenSearch) toggle(row, col int) {
	q.columns ^= 1 << col
	q.falling ^= 1 << (row - col + q.n)
	q.rising ^= 1 << (row + col)
}

// nQueensPhrasings are the wordings of the question, before and after the board. %n stands
// for the number of rows, %k for that of the queens to add, %q for "3 queens".
var nQueensPhrasings = [][2]string{
	{"Some queens (Q) already stand on this chessboard of %n rows and %n columns. Add %q so that there are %n queens on it and no two of them are in the same row, column or diagonal.\n\n",
		"\n\nAnswer with the completed board alone, in the same form: %n lines of %n squares with single spaces between them, Q for a queen and _ for an empty square."},
	{"Here is a chessboard:\n\n", "\n\nThe board above is missing %k of its %n queens. Complete it so that no queen attacks another one, neither along a row or a column nor along a diagonal. The queens that you see stay where they are. Reply with the whole board, one row per line, each square written as Q or _ and the squares separated by single spaces."},
	{"The %n queens puzzle asks for %n queens on a board of %n by %n squares that leave each other in peace: each row and each column has one of them, and no diagonal has more than one. Here the puzzle has been started, and %q still must be placed (Q: queen, _: empty square).\n\n",
		"\n\nFinish it. Print the board as %n lines, each with %n signs and single spaces between the signs. Do not print anything else."},
	{"Number of queens still to be placed on the board below: %k\n\n",
		"\n\nRules:\n- A Q is a queen, an underscore is a free square. No queen may be moved.\n- In the end, %n queens stand on the board.\n- A queen attacks every square in its row, in its column and on its two diagonals, at any distance. No queen may stand on a square that another one attacks.\n\nWrite the final board as %n lines of %n characters that are separated by single spaces."},
	{"What might this board look like with %q added to it, so that no two of all its queens attack each other?\n\n",
		"\n\nThere are %n rows and %n columns; Q marks a queen, _ an empty square. A queen attacks along its row, its column and both of its diagonals. One such board is enough, even if there are several. Give it in the layout that you see above, without any words."},
	{"I want your answer to be a board of %n lines with %n squares each, a space between neighboring squares: Q where a queen stands, _ where none does. It has to contain all queens of the following board and %q more. No row, no column and no diagonal of it, long or short, may contain two queens.\n\n", ""},
}

func (q nQueensItem) Prompt() string {
	words := nQueensPhrasings[q.Phrasing]
	fill := func(c byte) string {
		switch {
		case c == 'n':
			return strconv.Itoa(len(q.Puzzle))
		case c == 'k':
			return strconv.Itoa(q.NumRemoved)
		case q.NumRemoved == 1:
			return "1 queen"
		}
		return strconv.Itoa(q.NumRemoved) + " queens"
	}
	b := task.AppendFilled(make([]byte, 0, 2*task.PromptRoom), words[0], fill)
	return string(task.AppendFilled(appendQueens(b, q.Puzzle), words[1], fill))
}

// Canonical implements [task.Canonicalizer]. The side from which the board is seen does not matter.
func (q nQueensItem) Canonical() string {
	return queensText(canon.Front(q.Puzzle))
}

// Check refuses a record with a wrong solution.
func (q nQueensItem) Check() error {
	n := len(q.Puzzle)
	for _, row := range q.Puzzle {
		if len(row) != n {
			return errors.New("puzzle is not square")
		}
	}
	return task.CheckSolution(q)
}

func (q nQueensItem) Solve() string { return q.ValidAnswers[0] }

// Score implements [task.Scorer]. Any board with the given queens, one queen in each row,
// and no attacks is right.
func (q nQueensItem) Score(text string) quintain.Verdict {
	n := len(q.Puzzle)
	cells, fault := answer.Board{Rows: n, Cols: n}.Read(text, queenOrNone)
	if fault != "" {
		return quintain.Malformed(fault)
	}
	var columns, falling, rising uint64
	queens := 0
	for at, queen := range cells {
		i, j := at/n, at%n
		if q.Puzzle[i][j] == "Q" && queen == 0 {
			return quintain.Wrong(fmt.Sprintf("the queen in row %d, column %d is gone", i+1, j+1))
		}
		queens += queen
		columns |= uint64(queen) << j
		falling |= uint64(queen) << (i - j + n)
		rising |= uint64(queen) << (i + j)
	}
	rows := 0
	for i := range n {
		if slices.Contains(cells[i*n:][:n], 1) {
			rows++
		}
	}
	if queens != n || rows != n || bits.OnesCount64(columns) != n || bits.OnesCount64(falling) != n || bits.OnesCount64(rising) != n {
		return quintain.Wrong(fmt.Sprintf("there are %d queens, want %d, or two of them attack each other", queens, n))
	}
	return quintain.Right()
}

// queenOrNone reads a square.
func queenOrNone(text string) int {
	switch text {
	case "_", ".":
		return 0
	case "Q", "q":
		return 1
	}
	return -1
}
