package transformations

import (
	"slices"

	"github.com/quintain-rl/quintain/internal/grid"
)

// A board is colors in cells: numbers from 0 to 9.
type board = grid.Grid[int]

const (
	ground = 0
	paint  = 10 // stands for the color that a rule brings along
	edge   = -1 // stands for what is outside of a board
)

// A picture is a board that rules look at. Its things are looked for once.
type picture struct {
	board
	found  []thing
	looked bool
}

// size returns how many rows and columns a board has.
func size(b board) (h, w int) { return len(b), len(b[0]) }

// at returns a cell, or edge outside of the board.
func at(b board, i, j int) int {
	if i < 0 || j < 0 || i >= len(b) || j >= len(b[0]) {
		return edge
	}
	return b[i][j]
}

// clone returns a copy of a board.
func clone(b board) board {
	h, w := size(b)
	return grid.Build(h, w, func(i, j int) int { return b[i][j] })
}

// transposed returns a board with rows for columns.
func transposed(b board) board {
	h, w := size(b)
	return grid.Build(w, h, func(i, j int) int { return b[j][i] })
}

// mirrored returns a board with its columns from right to left.
func mirrored(b board) board {
	out := clone(b)
	for _, row := range out {
		slices.Reverse(row)
	}
	return out
}

// pick returns a if the condition holds, and else b.
func pick(condition bool, a, b int) int {
	if condition {
		return a
	}
	return b
}

// A box is a rectangle by its first and last rows and columns.
type box struct{ top, left, bottom, right int }

// around is the smallest box with all cells that are of a color that is wanted. It is false if
// there is none.
func around(b board, wanted func(color int) bool) (x box, ok bool) {
	h, w := size(b)
	x = box{h, w, -1, -1}
	for i, row := range b {
		for j, c := range row {
			if wanted(c) {
				x.add(i, j)
			}
		}
	}
	return x, x.bottom >= 0
}

// add makes the box so large that the cell is in it.
func (x *box) add(i, j int) {
	x.top, x.left = min(x.top, i), min(x.left, j)
	x.bottom, x.right = max(x.bottom, i), max(x.right, j)
}

func (x box) height() int { return x.bottom - x.top + 1 }
func (x box) width() int  { return x.right - x.left + 1 }

// cut returns the part of a board that is in a box.
func cut(b board, x box) board {
	return grid.Build(x.height(), x.width(), func(i, j int) int { return b[x.top+i][x.left+j] })
}

// colored reports whether a color is not that of the ground.
func colored(c int) bool { return c > ground }
