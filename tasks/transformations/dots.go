package transformations

import "github.com/quintain-rl/quintain/internal/grid"

// Lines are cells at steps from one cell, up to the end of the board if far is true.
type lines struct {
	steps [][2]int
	far   bool
}

// drawn makes a rule that draws lines from every single-cell thing, in its own color or in
// paint. The rule does not apply if a thing is larger, or if two lines meet.
func drawn(l lines, color func(t thing) int) func(p *picture) board {
	return func(p *picture) board {
		things := p.things()
		if len(things) == 0 {
			return nil
		}
		out := clone(p.board)
		for _, t := range things {
			if len(t.cells) > 1 || !l.draw(out, t, color(t)) {
				return nil
			}
		}
		return out
	}
}

// draw draws the lines from a thing. It reports false if they meet a colored cell.
func (l lines) draw(out board, t thing, color int) bool {
	for _, s := range l.steps {
		for i, j := t.top+s[0], t.left+s[1]; at(out, i, j) != edge; i, j = i+s[0], j+s[1] {
			if out[i][j] != ground {
				return false
			}
			out[i][j] = color
			if !l.far {
				break
			}
		}
	}
	return true
}

// linked makes a rule that connects the two cells of one color in each row, in that color or
// in paint.
func linked(b board, painted bool) board {
	out, n := clone(b), 0
	for i, row := range b {
		x, ok := around(board{row}, colored)
		if !ok {
			continue
		}
		if x.left == x.right || row[x.left] != row[x.right] || !free(board{row}, box{0, x.left + 1, 0, x.right - 1}) {
			return nil
		}
		n++
		for j := x.left + 1; j < x.right; j++ {
			out[i][j] = pick(painted, paint, row[x.left])
		}
	}
	if n == 0 {
		return nil
	}
	return out
}

// boxed makes a rule for the rectangle with the only two colored cells as opposite corners.
func boxed(color func(i, j int, x box, c int) int) func(p *picture) board {
	return func(p *picture) board {
		t := p.things()
		if len(t) != 2 || len(t[0].cells)+len(t[1].cells) != 2 || t[0].color != t[1].color {
			return nil
		}
		x, _ := around(p.board, colored)
		if x.height() < 3 || x.width() < 3 {
			return nil
		}
		h, w := size(p.board)
		return grid.Build(h, w, func(i, j int) int {
			if i < x.top || i > x.bottom || j < x.left || j > x.right || p.board[i][j] != ground {
				return p.board[i][j]
			}
			return color(i-x.top, j-x.left, x, t[0].color)
		})
	}
}

// dotRules draw lines from single cells and between them.
var dotRules = []rule{
	{"ray_right", 1, dots, drawn(lines{[][2]int{{0, 1}}, true}, ownColor)},
	{"ray_left", 1, dots, drawn(lines{[][2]int{{0, -1}}, true}, ownColor)},
	{"ray_up", 1, dots, drawn(lines{[][2]int{{-1, 0}}, true}, ownColor)},
	{"ray_down", 1, dots, drawn(lines{[][2]int{{1, 0}}, true}, ownColor)},
	{"whole_rows", 1, dots, drawn(lines{[][2]int{{0, -1}, {0, 1}}, true}, ownColor)},
	{"whole_columns", 1, dots, drawn(lines{[][2]int{{-1, 0}, {1, 0}}, true}, ownColor)},
	{"paint_whole_rows", 2, dots, drawn(lines{[][2]int{{0, -1}, {0, 1}}, true}, paintColor)},
	{"paint_whole_columns", 2, dots, drawn(lines{[][2]int{{-1, 0}, {1, 0}}, true}, paintColor)},
	{"saltires", 2, dots, drawn(lines{corners, false}, ownColor)},
	{"painted_saltires", 2, dots, drawn(lines{corners, false}, paintColor)},
	{"row_and_column", 2, dot, drawn(lines{sides, true}, ownColor)},
	{"painted_row_and_column", 2, dot, drawn(lines{sides, true}, paintColor)},
	{"both_diagonals", 2, dot, drawn(lines{corners, true}, ownColor)},
	{"painted_diagonals", 3, dot, drawn(lines{corners, true}, paintColor)},
	{"falling_diagonal", 2, dot, drawn(lines{[][2]int{{-1, -1}, {1, 1}}, true}, ownColor)},
	{"rising_diagonal", 2, dot, drawn(lines{[][2]int{{-1, 1}, {1, -1}}, true}, ownColor)},
	{"star", 3, dot, drawn(lines{ring, true}, ownColor)},

	{"connect_in_rows", 1, pairs, along(func(b board) board { return linked(b, false) })},
	{"connect_in_columns", 1, pairsUp, across(func(b board) board { return linked(b, false) })},
	{"paint_between_in_rows", 2, pairs, along(func(b board) board { return linked(b, true) })},
	{"paint_between_in_columns", 2, pairsUp, across(func(b board) board { return linked(b, true) })},
	{"rectangle_between_corners", 2, twoCorners, boxed(func(i, j int, x box, c int) int { return pick(rim(i, j, x.height(), x.width()), c, ground) })},
	{"full_rectangle_between_corners", 2, twoCorners, boxed(func(_, _ int, _ box, c int) int { return c })},
	{"painted_rectangle_between_corners", 3, twoCorners, boxed(func(i, j int, x box, _ int) int { return pick(rim(i, j, x.height(), x.width()), paint, ground) })},
	{"painted_area_between_corners", 3, twoCorners, boxed(func(_, _ int, _ box, _ int) int { return paint })},
}
