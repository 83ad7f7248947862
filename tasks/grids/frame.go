package grids

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// A wordings is the wordings of a question: before the board, and after it. %n stands for the
// size of the board; the other letters are the puzzle's own.
type wordings [6][2]string

// draw draws a wording.
func (w *wordings) draw(r *rng.Rand) int { return r.Between(0, len(w)-1) }

// ask returns a wording with the board in it.
func (w *wordings) ask(phrasing int, board []byte, value func(c byte) string) string {
	b := task.AppendFilled(make([]byte, 0, 2*task.PromptRoom), w[phrasing][0], value)
	b = append(append(append(b, "\n\n"...), board...), "\n\n"...)
	return string(task.AppendFilled(b, w[phrasing][1], value))
}

// mostSide limits the rows of a board, so that its cells fit in a [set].
const mostSide = 11

// checkBoards refuses a record with a board that is not square, or a solution that breaks a rule.
func checkBoards(inst task.Scored, size int, boards ...grid.Grid[int]) error {
	for _, g := range boards {
		if len(g) != size || slices.ContainsFunc(g, func(row []int) bool { return len(row) != size }) {
			return fmt.Errorf("a board of %d rows is not %d x %d", len(g), size, size)
		}
	}
	return task.CheckSolution(inst)
}

// judge scores an answer that is a square board: cell reads a cell, and broken returns the
// first rule that the cells break, if any.
func judge(text string, size int, cell func(string) int, broken func(cells []int) string) quintain.Verdict {
	cells, fault := answer.Board{Rows: size, Cols: size}.Read(text, cell)
	if fault != "" {
		return quintain.Malformed(fault)
	}
	if why := broken(cells); why != "" {
		return quintain.Wrong(why)
	}
	return quintain.Right()
}

// A signs is the signs of a puzzle's cells: cell 0 is the first.
type signs string

// read reads a cell in either case; -1 for none of the signs.
func (s signs) read(text string) int {
	if len(text) != 1 {
		return -1
	}
	return strings.IndexByte(string(s), strings.ToUpper(text)[0])
}

// append appends a board, a line for each row, with spaces between the cells.
func (s signs) append(b []byte, g grid.Grid[int]) []byte {
	return g.Append(b, func(b []byte, c int) []byte { return append(b, s[c]) })
}

// square returns cells as a grid.
func square(cells []int, size int) grid.Grid[int] {
	return grid.Build(size, size, func(i, j int) int { return cells[i*size+j] })
}

// where names a cell in a reason.
func where(cell, size int) string {
	return fmt.Sprintf("row %d, column %d", cell/size+1, cell%size+1)
}

// eachBeside calls do for each neighbor of a cell, above, below, left and right.
func eachBeside(cell, size int, do func(neighbor int)) {
	row, col := cell/size, cell%size
	if row > 0 {
		do(cell - size)
	}
	if row < size-1 {
		do(cell + size)
	}
	if col > 0 {
		do(cell - 1)
	}
	if col < size-1 {
		do(cell + 1)
	}
}

// eachAround is eachBeside for the up to eight neighbors, those at the corners included.
func eachAround(cell, size int, do func(neighbor int)) {
	row, col := cell/size, cell%size
	for i := max(0, row-1); i <= min(size-1, row+1); i++ {
		for j := max(0, col-1); j <= min(size-1, col+1); j++ {
			if i != row || j != col {
				do(i*size + j)
			}
		}
	}
}
