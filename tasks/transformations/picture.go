package transformations

import (
	"slices"

	"github.com/quintain-rl/quintain/internal/grid"
)

// A board is a grid of colors, 0 to 9.
type board = grid.Grid[int]

const (
	ground = 0
	paint  = 10 // stands for a color that a rule adds
	edge   = -1 // stands for cells outside a board
)

// A picture is a board as rules see it. It finds its things once.
type picture struct {
	board
	found  []thing
	looked bool
}

// size returns the numbers of rows and columns of a board.
func size(b board) (h, w int) { return len(b), len(b[0]) }

// at returns a cell, or edge outside the board.
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

// transposed returns the transposed board.
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

// pick returns a if the condition holds, else b.
func pick(condition bool, a, b int) int {
	if condition {
		return a
	}
	return b
}

// A box is a rectangle, given by its first and last rows and columns.
type box struct{ top, left, bottom, right int }

// around returns the smallest box with all cells of a wanted color. ok is false if there
// are none.
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

// add enlarges the box to contain a cell.
func (x *box) add(i, j int) {
	x.top, x.left = min(x.top, i), min(x.left, j)
	x.bottom, x.right = max(x.bottom, i), max(x.right, j)
}

func (x box) height() int { return x.bottom - x.top + 1 }
func (x box) width() int  { return x.right - x.left + 1 }

// cut returns the part of a board inside a box.
func cut(b board, x box) board {
	return grid.Build(x.height(), x.width(), func(i, j int) int { return b[x.top+i][x.left+j] })
}

// colored reports whether a color is not the ground.
func colored(c int) bool { return c > ground }
