package transformations

import "github.com/quintain-rl/quintain/internal/grid"

// unrolled makes a rule for a board of one row: each cell of the result has the color of a
// cell in the row, or is ground if its place is outside.
func unrolled(shape func(n int) (rows, cols int), place func(i, j, n int) int) func(p *picture) board {
	return func(p *picture) board {
		if len(p.board) != 1 {
			return nil
		}
		n := len(p.board[0])
		rows, cols := shape(n)
		return grid.Build(rows, cols, func(i, j int) int { return max(ground, at(p.board, 0, place(i, j, n))) })
	}
}

func nByN(n int) (int, int) { return n, n }

// nested returns the distance of a cell from the rim of a square, counted from 0.
func nested(i, j, rows int) int { return min(i, j, rows-1-i, rows-1-j) }

// rowRules make pictures of a row of colors.
var rowRules = []rule{
	{"row_on_every_row", 1, stripe, unrolled(nByN, func(_, j, _ int) int { return j })},
	{"row_as_stripes", 2, stripe, unrolled(nByN, func(i, _, _ int) int { return i })},
	{"row_on_diagonal", 2, stripe, unrolled(nByN, func(i, j, _ int) int { return pick(i == j, j, edge) })},
	{"row_on_other_diagonal", 2, stripe, unrolled(nByN, func(i, j, n int) int { return pick(i+j == n-1, j, edge) })},
	{"row_in_growing_steps", 2, stripe, unrolled(nByN, func(i, j, _ int) int { return pick(j <= i, j, edge) })},
	{"row_in_shrinking_steps", 2, stripe, unrolled(nByN, func(i, j, n int) int { return pick(i+j < n, j, edge) })},
	{"row_pushed_right", 3, stripe, unrolled(nByN, func(i, j, _ int) int { return j - i })},
	{"row_rolled_right", 3, stripe, unrolled(nByN, func(i, j, n int) int { return (j + n - i) % n })},
	{"row_rolled_left", 3, stripe, unrolled(nByN, func(i, j, n int) int { return (j + i) % n })},
	{"row_as_nested_squares", 3, stripe, unrolled(func(n int) (int, int) { return 2*n - 1, 2*n - 1 }, func(i, j, n int) int { return nested(i, j, 2*n-1) })},
	{"row_as_growing_squares", 3, stripe, unrolled(func(n int) (int, int) { return 2*n - 1, 2*n - 1 }, func(i, j, n int) int { return n - 1 - nested(i, j, 2*n-1) })},
	{"row_as_corners", 3, stripe, unrolled(nByN, func(i, j, _ int) int { return max(i, j) })},
	{"row_as_bars", 3, stripe, unrolled(nByN, func(i, j, n int) int { return pick(i+j >= n-1, j, edge) })},
}
