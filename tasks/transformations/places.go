package transformations

import "github.com/quintain-rl/quintain/internal/grid"

// A shape maps a board of h rows and w columns to the size of its result, or to 0, 0 if the
// rule does not apply.
type shape func(h, w int) (rows, cols int)

// A source tells where a cell of the new board comes from. Outside the board there is
// ground.
type source func(i, j, h, w int) (row, col int)

// placed makes a rule that copies each cell from its source.
func placed(shape shape, source source) func(p *picture) board {
	return func(p *picture) board {
		h, w := size(p.board)
		rows, cols := shape(h, w)
		if rows <= 0 || cols <= 0 {
			return nil
		}
		return grid.Build(rows, cols, func(i, j int) int {
			i, j = source(i, j, h, w)
			return max(ground, at(p.board, i, j))
		})
	}
}

// The shapes of results.
func same(h, w int) (int, int)     { return h, w }
func turned(h, w int) (int, int)   { return w, h }
func double(h, w int) (int, int)   { return 2 * h, 2 * w }
func triple(h, w int) (int, int)   { return 3 * h, 3 * w }
func wide(h, w int) (int, int)     { return h, 2 * w }
func tall(h, w int) (int, int)     { return 2 * h, w }
func lessWide(h, w int) (int, int) { return h, w - 1 }
func lessTall(h, w int) (int, int) { return h - 1, w }
func evenRows(h, w int) (int, int) { return h * (1 - h%2), w }
func evenCols(h, w int) (int, int) { return h, w * (1 - w%2) }
func halfTall(h, w int) (int, int) { return h / 2 * (1 - h%2), w }
func halfWide(h, w int) (int, int) { return h, w / 2 * (1 - w%2) }
func quarter(h, w int) (int, int)  { return h / 2 * (1 - h%2), w / 2 * (1 - w%2) }
func square(h, w int) (int, int)   { return pick(h == w, h, 0), pick(h == w, w, 0) }

// Sources that several rules share.
func stays(i, j, _, _ int) (int, int)        { return i, j }
func sideways(i, j, _, w int) (int, int)     { return i, w - 1 - j }
func upDown(i, j, h, _ int) (int, int)       { return h - 1 - i, j }
func half(i, j, h, w int) (int, int)         { return h - 1 - i, w - 1 - j }
func right(i, j, h, _ int) (int, int)        { return h - 1 - j, i }
func left(i, j, _, w int) (int, int)         { return j, w - 1 - i }
func onDiagonal(i, j, _, _ int) (int, int)   { return j, i }
func again(i, j, _, w int) (int, int)        { return i, j % w }
func twiceAsLarge(i, j, _, _ int) (int, int) { return i / 2, j / 2 }

// fold counts 0, 1, …, n-1, n-1, …, 1, 0.
func fold(i, n int) int { return min(i, 2*n-1-i) }

// placeRules define a source for each cell.
var placeRules = []rule{
	{"mirror_sideways", 1, noise, placed(same, sideways)},
	{"mirror_up_down", 1, noise, placed(same, upDown)},
	{"turn_half", 1, noise, placed(same, half)},
	{"turn_right", 1, noise, placed(turned, right)},
	{"turn_left", 1, noise, placed(turned, left)},
	{"transpose", 1, noise, placed(turned, onDiagonal)},
	{"transpose_other_diagonal", 2, noise, placed(turned, func(i, j, h, w int) (int, int) { return h - 1 - j, w - 1 - i })},

	{"roll_right", 2, noise, placed(same, func(i, j, _, w int) (int, int) { return i, (j + w - 1) % w })},
	{"roll_left", 2, noise, placed(same, func(i, j, _, w int) (int, int) { return i, (j + 1) % w })},
	{"roll_down", 2, noise, placed(same, func(i, j, h, _ int) (int, int) { return (i + h - 1) % h, j })},
	{"roll_up", 2, noise, placed(same, func(i, j, h, _ int) (int, int) { return (i + 1) % h, j })},
	{"push_right", 1, noise, placed(same, func(i, j, _, _ int) (int, int) { return i, j - 1 })},
	{"push_left", 1, noise, placed(same, func(i, j, _, _ int) (int, int) { return i, j + 1 })},
	{"push_down", 1, noise, placed(same, func(i, j, _, _ int) (int, int) { return i - 1, j })},
	{"push_up", 1, noise, placed(same, func(i, j, _, _ int) (int, int) { return i + 1, j })},
	{"swap_left_and_right_halves", 2, even, placed(evenCols, func(i, j, _, w int) (int, int) { return i, (j + w/2) % w })},
	{"swap_top_and_bottom_halves", 2, even, placed(evenRows, func(i, j, h, _ int) (int, int) { return (i + h/2) % h, j })},
	{"swap_first_and_last_row", 2, noise, placed(same, func(i, j, h, _ int) (int, int) {
		if i == 0 || i == h-1 {
			i = h - 1 - i
		}
		return i, j
	})},
	{"swap_first_and_last_column", 2, noise, placed(same, func(i, j, _, w int) (int, int) {
		if j == 0 || j == w-1 {
			j = w - 1 - j
		}
		return i, j
	})},
	{"shear_right", 3, noise, placed(same, func(i, j, h, w int) (int, int) { return i, (j + h*w - i) % w })},
	{"shear_left", 3, noise, placed(same, func(i, j, _, w int) (int, int) { return i, (j + i) % w })},
	{"shear_down", 3, noise, placed(same, func(i, j, h, w int) (int, int) { return (i + h*w - j) % h, j })},
	{"mirror_every_second_row", 3, noise, placed(same, func(i, j, _, w int) (int, int) {
		if i%2 == 1 {
			j = w - 1 - j
		}
		return i, j
	})},
	{"mirror_every_second_column", 3, noise, placed(same, func(i, j, h, _ int) (int, int) {
		if j%2 == 1 {
			i = h - 1 - i
		}
		return i, j
	})},
	{"mirror_inside_sideways", 3, noise, placed(same, func(i, j, h, w int) (int, int) {
		if i > 0 && i < h-1 && j > 0 && j < w-1 {
			j = w - 1 - j
		}
		return i, j
	})},
	{"mirror_rim_sideways", 3, noise, placed(same, func(i, j, h, w int) (int, int) {
		if i == 0 || i == h-1 || j == 0 || j == w-1 {
			j = w - 1 - j
		}
		return i, j
	})},

	{"reflect_left_half", 2, even, placed(evenCols, func(i, j, _, w int) (int, int) { return i, fold(j, w/2) })},
	{"reflect_right_half", 2, even, placed(evenCols, func(i, j, _, w int) (int, int) { return i, w - 1 - fold(j, w/2) })},
	{"reflect_top_half", 2, even, placed(evenRows, func(i, j, h, _ int) (int, int) { return fold(i, h/2), j })},
	{"reflect_bottom_half", 2, even, placed(evenRows, func(i, j, h, _ int) (int, int) { return h - 1 - fold(i, h/2), j })},
	{"repeat_left_half", 2, even, placed(evenCols, func(i, j, _, w int) (int, int) { return i, j % (w / 2) })},
	{"repeat_top_half", 2, even, placed(evenRows, func(i, j, h, _ int) (int, int) { return i % (h / 2), j })},

	{"left_half", 1, even, placed(halfWide, stays)},
	{"right_half", 1, even, placed(halfWide, func(i, j, _, w int) (int, int) { return i, j + w/2 })},
	{"top_half", 1, even, placed(halfTall, stays)},
	{"bottom_half", 1, even, placed(halfTall, func(i, j, h, _ int) (int, int) { return i + h/2, j })},
	{"top_left_quarter", 1, even, placed(quarter, stays)},
	{"top_right_quarter", 1, even, placed(quarter, func(i, j, _, w int) (int, int) { return i, j + w/2 })},
	{"bottom_left_quarter", 1, even, placed(quarter, func(i, j, h, _ int) (int, int) { return i + h/2, j })},
	{"bottom_right_quarter", 1, even, placed(quarter, func(i, j, h, w int) (int, int) { return i + h/2, j + w/2 })},
	{"cut_off_rim", 1, noise, placed(func(h, w int) (int, int) { return h - 2, w - 2 }, func(i, j, _, _ int) (int, int) { return i + 1, j + 1 })},
	{"cut_off_first_row", 1, noise, placed(lessTall, func(i, j, _, _ int) (int, int) { return i + 1, j })},
	{"cut_off_last_row", 1, noise, placed(lessTall, stays)},
	{"cut_off_first_column", 1, noise, placed(lessWide, func(i, j, _, _ int) (int, int) { return i, j + 1 })},
	{"cut_off_last_column", 1, noise, placed(lessWide, stays)},
	{"first_row", 1, noise, placed(func(_, w int) (int, int) { return 1, w }, func(_, j, _, _ int) (int, int) { return 0, j })},
	{"last_row", 1, noise, placed(func(_, w int) (int, int) { return 1, w }, func(_, j, h, _ int) (int, int) { return h - 1, j })},
	{"first_column", 1, noise, placed(func(h, _ int) (int, int) { return h, 1 }, func(i, _, _, _ int) (int, int) { return i, 0 })},
	{"last_column", 1, noise, placed(func(h, _ int) (int, int) { return h, 1 }, func(i, _, _, w int) (int, int) { return i, w - 1 })},
	{"diagonal_as_row", 3, regular, placed(func(h, w int) (int, int) { n, _ := square(h, w); return min(1, n), n }, func(_, j, _, _ int) (int, int) { return j, j })},
	{"every_second_row", 2, noise, placed(func(h, w int) (int, int) { return (h + 1) / 2, w }, func(i, j, _, _ int) (int, int) { return 2 * i, j })},
	{"every_second_column", 2, noise, placed(func(h, w int) (int, int) { return h, (w + 1) / 2 }, func(i, j, _, _ int) (int, int) { return i, 2 * j })},
	{"every_second_of_both", 3, noise, placed(func(h, w int) (int, int) { return (h + 1) / 2, (w + 1) / 2 }, func(i, j, _, _ int) (int, int) { return 2 * i, 2 * j })},

	{"enlarge_twice", 1, small, placed(double, twiceAsLarge)},
	{"enlarge_three_times", 1, small, placed(triple, func(i, j, _, _ int) (int, int) { return i / 3, j / 3 })},
	{"stretch_sideways", 1, small, placed(wide, func(i, j, _, _ int) (int, int) { return i, j / 2 })},
	{"stretch_up_down", 1, small, placed(tall, func(i, j, _, _ int) (int, int) { return i / 2, j })},
	{"twice_side_by_side", 1, small, placed(wide, again)},
	{"twice_above_each_other", 1, small, placed(tall, func(i, j, h, _ int) (int, int) { return i % h, j })},
	{"four_tiles", 1, small, placed(double, func(i, j, h, w int) (int, int) { return i % h, j % w })},
	{"nine_tiles", 1, small, placed(triple, func(i, j, h, w int) (int, int) { return i % h, j % w })},
	{"reflection_on_the_right", 1, small, placed(wide, func(i, j, _, w int) (int, int) { return i, fold(j, w) })},
	{"reflection_on_the_left", 1, small, placed(wide, func(i, j, _, w int) (int, int) { return i, w - 1 - fold(j, w) })},
	{"reflection_below", 1, small, placed(tall, func(i, j, h, _ int) (int, int) { return fold(i, h), j })},
	{"reflection_above", 1, small, placed(tall, func(i, j, h, _ int) (int, int) { return h - 1 - fold(i, h), j })},
	{"kaleidoscope", 2, small, placed(double, func(i, j, h, w int) (int, int) { return fold(i, h), fold(j, w) })},
	{"pinwheel", 3, smallSquare, placed(func(h, w int) (int, int) { n, _ := square(h, w); return 2 * n, 2 * n }, pinwheel)},
	{"space_out", 2, small, placed(func(h, w int) (int, int) { return 2*h - 1, 2*w - 1 }, func(i, j, _, _ int) (int, int) {
		if i%2 == 1 || j%2 == 1 {
			return edge, edge
		}
		return i / 2, j / 2
	})},
}

// pinwheel turns a square around the lower right corner, each part a quarter further,
// clockwise.
func pinwheel(i, j, n, _ int) (int, int) {
	switch {
	case i < n && j < n:
		return i, j
	case i < n:
		return n - 1 - (j - n), i
	case j >= n:
		return 2*n - 1 - i, 2*n - 1 - j
	}
	return j, n - 1 - (i - n)
}
