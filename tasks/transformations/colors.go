package transformations

import (
	"slices"

	"github.com/quintain-rl/quintain/internal/grid"
)

// recolored makes a rule from a function that recolors each cell, given the most common
// color and the rarest, ground apart. The rule does not apply if either is ambiguous, or if
// there is no other color.
func recolored(becomes func(c, common, rare int) int) func(p *picture) board {
	return func(p *picture) board {
		common, rare := extremes(p.board)
		if common == rare {
			return nil
		}
		return each(p.board, func(c int) int { return becomes(c, common, rare) })
	}
}

// extremes returns the most common color and the rarest, or 0 and 0 if several are equally
// common or rare.
func extremes(b board) (common, rare int) {
	var counts [10]int
	for _, row := range b {
		for _, c := range row {
			counts[c]++
		}
	}
	most, least := 0, len(b)*len(b[0])+1
	for c, n := range counts {
		if !colored(c) || n == 0 {
			continue
		}
		if n >= most {
			common, most = pick(n > most, c, ground), n
		}
		if n <= least {
			rare, least = pick(n < least, c, ground), n
		}
	}
	if common == ground || rare == ground {
		return 0, 0
	}
	return common, rare
}

// each returns a board with each cell mapped by a function.
func each(b board, becomes func(c int) int) board {
	h, w := size(b)
	return grid.Build(h, w, func(i, j int) int { return becomes(b[i][j]) })
}

// colorOf makes a rule that maps each cell by its color.
func colorOf(becomes func(c int) int) func(p *picture) board {
	return func(p *picture) board { return each(p.board, becomes) }
}

// only returns the only color of the board, or 0 if it has several.
func only(b board) (color int) {
	for _, row := range b {
		for _, c := range row {
			if c != ground && color != ground && c != color {
				return ground
			}
			color = max(color, c)
		}
	}
	return color
}

// settled returns the rows of a board with the ground first, then the colors in their
// order.
func settled(b board) board {
	out := clone(b)
	for _, row := range out {
		slices.SortStableFunc(row, func(a, b int) int { return min(a, 1) - min(b, 1) })
	}
	return out
}

// hasColor reports whether a row is not all ground.
func hasColor(row []int) bool { return slices.ContainsFunc(row, colored) }

// across makes a rule for the transposed board.
func across(apply func(b board) board) func(p *picture) board {
	return func(p *picture) board {
		if out := apply(transposed(p.board)); out != nil {
			return transposed(out)
		}
		return nil
	}
}

// along makes a rule for the board itself.
func along(apply func(b board) board) func(p *picture) board {
	return func(p *picture) board { return apply(p.board) }
}

// paintedRows paints the rows without colors.
func paintedRows(b board) board {
	out := clone(b)
	for i, row := range b {
		if !hasColor(row) {
			out[i] = slices.Repeat([]int{paint}, len(row))
		}
	}
	return out
}

// firstOfRow colors each row like its first cell.
func firstOfRow(b board) board {
	h, w := size(b)
	return grid.Build(h, w, func(i, _ int) int { return b[i][0] })
}

// squeezed removes rows without colors, or returns nil if that removes none or all.
func squeezed(b board) (some board) {
	for _, row := range b {
		if hasColor(row) {
			some = append(some, slices.Clone(row))
		}
	}
	if len(some) == len(b) {
		return nil
	}
	return some
}

// backwards applies a function from right to left instead of left to right.
func backwards(apply func(b board) board) func(b board) board {
	return func(b board) board {
		if out := apply(mirrored(b)); out != nil {
			return mirrored(out)
		}
		return nil
	}
}

// colorRules depend on colors.
var colorRules = []rule{
	{"keep_most_common", 2, noise, recolored(func(c, common, _ int) int { return pick(c == common, c, ground) })},
	{"keep_rarest", 2, noise, recolored(func(c, _, rare int) int { return pick(c == rare, c, ground) })},
	{"remove_most_common", 2, noise, recolored(func(c, common, _ int) int { return pick(c == common, ground, c) })},
	{"remove_rarest", 2, noise, recolored(func(c, _, rare int) int { return pick(c == rare, ground, c) })},
	{"paint_most_common", 2, noise, recolored(func(c, common, _ int) int { return pick(c == common, paint, c) })},
	{"paint_rarest", 2, noise, recolored(func(c, _, rare int) int { return pick(c == rare, paint, c) })},
	{"all_most_common", 2, noise, recolored(func(c, common, _ int) int { return pick(colored(c), common, c) })},
	{"ground_most_common", 3, noise, recolored(func(c, common, _ int) int { return pick(colored(c), c, common) })},
	{"rarest_as_most_common", 3, noise, recolored(func(c, common, rare int) int { return pick(c == rare, common, c) })},
	{"swap_most_common_and_rarest", 3, noise, recolored(func(c, common, rare int) int {
		switch c {
		case common:
			return rare
		case rare:
			return common
		}
		return c
	})},
	{"most_common_alone", 2, noise, func(p *picture) board { return single(extremes(p.board)) }},
	{"rarest_alone", 3, noise, func(p *picture) board {
		common, rare := extremes(p.board)
		return single(rare, common)
	}},
	{"paint_all", 1, noise, colorOf(func(c int) int { return pick(colored(c), paint, c) })},
	{"paint_ground", 1, noise, colorOf(func(c int) int { return pick(colored(c), c, paint) })},
	{"next_color", 2, noise, colorOf(func(c int) int { return pick(colored(c), c%9+1, c) })},
	{"previous_color", 3, noise, colorOf(func(c int) int { return pick(colored(c), (c+7)%9+1, c) })},
	{"invert", 1, silhouette, func(p *picture) board {
		color := only(p.board)
		if color == ground {
			return nil
		}
		return each(p.board, func(c int) int { return color - c })
	}},
	{"invert_and_paint", 2, silhouette, colorOf(func(c int) int { return pick(colored(c), ground, paint) })},

	{"fall_right", 2, noise, along(settled)},
	{"fall_left", 2, noise, along(backwards(settled))},
	{"fall_down", 2, noise, across(settled)},
	{"fall_up", 2, noise, across(backwards(settled))},
	{"first_of_row", 1, noise, along(firstOfRow)},
	{"last_of_row", 1, noise, along(backwards(firstOfRow))},
	{"first_of_column", 1, noise, across(firstOfRow)},
	{"last_of_column", 1, noise, across(backwards(firstOfRow))},
	{"leave_out_empty_rows", 2, sparse, along(squeezed)},
	{"leave_out_empty_columns", 2, sparse, across(squeezed)},
	{"paint_empty_rows", 2, sparse, along(paintedRows)},
	{"paint_empty_columns", 2, sparse, across(paintedRows)},
}

// single returns a board of one cell, or nil if its color is the ground or other.
func single(color, other int) board {
	if color == other {
		return nil
	}
	return board{{color}}
}
