package transformations

import "github.com/quintain-rl/quintain/internal/grid"

// A mask chooses cells of a board of h rows and w columns.
type mask func(i, j, h, w int) bool

// kept makes a rule that keeps the chosen cells. The others become ground.
func kept(shape shape, chosen mask) func(p *picture) board {
	return masked(shape, chosen, func(c int, chosen bool) int {
		if chosen {
			return c
		}
		return ground
	})
}

// painted makes a rule that paints the chosen cells.
func painted(shape shape, chosen mask) func(p *picture) board {
	return masked(shape, chosen, func(c int, chosen bool) int {
		if chosen {
			return paint
		}
		return c
	})
}

// masked makes a rule that maps each cell by its color and whether it is chosen.
func masked(shape shape, chosen mask, becomes func(c int, chosen bool) int) func(p *picture) board {
	return func(p *picture) board {
		h, w := size(p.board)
		if rows, cols := shape(h, w); rows*cols == 0 {
			return nil
		}
		return grid.Build(h, w, func(i, j int) int { return becomes(p.board[i][j], chosen(i, j, h, w)) })
	}
}

// odds is the shape of boards with a middle row and a middle column.
func odds(h, w int) (int, int) { return h * (h % 2), w * (w % 2) }

// The masks.
func rim(i, j, h, w int) bool           { return i == 0 || j == 0 || i == h-1 || j == w-1 }
func inside(i, j, h, w int) bool        { return !rim(i, j, h, w) }
func fourCorners(i, j, h, w int) bool   { return (i == 0 || i == h-1) && (j == 0 || j == w-1) }
func checkered(i, j, _, _ int) bool     { return (i+j)%2 == 0 }
func oddRows(i, _, _, _ int) bool       { return i%2 == 0 }
func oddCols(_, j, _, _ int) bool       { return j%2 == 0 }
func diagonal(i, j, _, _ int) bool      { return i == j }
func otherDiagonal(i, j, _, w int) bool { return i+j == w-1 }
func diagonals(i, j, h, w int) bool     { return diagonal(i, j, h, w) || otherDiagonal(i, j, h, w) }
func upper(i, j, _, _ int) bool         { return i <= j }
func lower(i, j, _, _ int) bool         { return i >= j }
func middleRow(i, _, h, _ int) bool     { return i == h/2 }
func middleCol(_, j, _, w int) bool     { return j == w/2 }
func cross(i, j, h, w int) bool         { return middleRow(i, j, h, w) || middleCol(i, j, h, w) }

// maskRules keep or paint cells by position.
var maskRules = []rule{
	{"keep_rim", 1, noise, kept(same, rim)},
	{"keep_inside", 1, noise, kept(same, inside)},
	{"keep_corners", 2, noise, kept(same, fourCorners)},
	{"keep_checkered", 2, noise, kept(same, checkered)},
	{"keep_odd_rows", 1, noise, kept(same, oddRows)},
	{"keep_odd_columns", 1, noise, kept(same, oddCols)},
	{"keep_diagonal", 2, regular, kept(square, diagonal)},
	{"keep_other_diagonal", 2, regular, kept(square, otherDiagonal)},
	{"keep_diagonals", 2, regular, kept(square, diagonals)},
	{"keep_above_diagonal", 2, regular, kept(square, upper)},
	{"keep_below_diagonal", 2, regular, kept(square, lower)},
	{"keep_middle_row", 1, odd, kept(odds, middleRow)},
	{"keep_middle_column", 1, odd, kept(odds, middleCol)},
	{"keep_middle_cross", 2, odd, kept(odds, cross)},

	{"paint_rim", 1, noise, painted(same, rim)},
	{"paint_inside", 1, noise, painted(same, inside)},
	{"paint_corners", 1, noise, painted(same, fourCorners)},
	{"paint_checkered", 2, noise, painted(same, checkered)},
	{"paint_odd_rows", 1, noise, painted(same, oddRows)},
	{"paint_odd_columns", 1, noise, painted(same, oddCols)},
	{"paint_diagonal", 1, regular, painted(square, diagonal)},
	{"paint_other_diagonal", 1, regular, painted(square, otherDiagonal)},
	{"paint_diagonals", 2, regular, painted(square, diagonals)},
	{"paint_above_diagonal", 2, regular, painted(square, upper)},
	{"paint_below_diagonal", 2, regular, painted(square, lower)},
	{"paint_middle_row", 1, odd, painted(odds, middleRow)},
	{"paint_middle_column", 1, odd, painted(odds, middleCol)},
	{"paint_middle_cross", 2, odd, painted(odds, cross)},

	{"frame", 1, noise, func(p *picture) board {
		h, w := size(p.board)
		return grid.Build(h+2, w+2, func(i, j int) int {
			if rim(i, j, h+2, w+2) {
				return paint
			}
			return p.board[i-1][j-1]
		})
	}},
	{"frame_of_ground", 1, noise, func(p *picture) board {
		h, w := size(p.board)
		return grid.Build(h+2, w+2, func(i, j int) int { return max(ground, at(p.board, i-1, j-1)) })
	}},
}
