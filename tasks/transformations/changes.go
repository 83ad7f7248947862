package transformations

import (
	"slices"

	"github.com/quintain-rl/quintain/internal/grid"
)

// changed makes a rule that redraws each thing onto a copy of the picture. The things'
// boxes must not overlap or touch.
func changed(change func(out board, p *picture, t thing)) func(p *picture) board {
	return func(p *picture) board {
		things := p.things()
		if len(things) == 0 {
			return nil
		}
		out := clone(p.board)
		for i, t := range things {
			if slices.ContainsFunc(things[:i], t.near) {
				return nil
			}
			change(out, p, t)
		}
		return out
	}
}

// near reports whether the boxes of two things overlap or touch.
func (t thing) near(o thing) bool {
	return t.top <= o.bottom+1 && o.top <= t.bottom+1 && t.left <= o.right+1 && o.left <= t.right+1
}

// within recolors the cells in the box of each thing.
func within(color func(t thing, i, j int, old board) int) func(p *picture) board {
	return changed(func(out board, p *picture, t thing) {
		for i := range t.height() {
			for j := range t.width() {
				out[t.top+i][t.left+j] = color(t, i, j, p.board)
			}
		}
	})
}

// grown colors the ground at steps from the cells of a thing.
func grown(steps [][2]int, color func(t thing) int) func(p *picture) board {
	return changed(func(out board, p *picture, t thing) {
		for _, c := range t.cells {
			for _, s := range steps {
				if i, j := c[0]+s[0], c[1]+s[1]; at(p.board, i, j) == ground {
					out[i][j] = color(t)
				}
			}
		}
	})
}

func ownColor(t thing) int    { return t.color }
func paintColor(_ thing) int  { return paint }
func groundColor(_ thing) int { return ground }

// refilled colors some cells of each thing, such as its inside or its holes.
func refilled(cells func(p *picture, t thing) [][2]int, color func(t thing) int) func(p *picture) board {
	return changed(func(out board, p *picture, t thing) { draw(out, cells(p, t), color(t)) })
}

func holes(_ *picture, t thing) [][2]int    { return t.holes() }
func innards(p *picture, t thing) [][2]int  { return t.inner(p.board) }
func outsides(p *picture, t thing) [][2]int { return without(t.cells, t.inner(p.board)) }

// without returns cells except some.
func without(cells, some [][2]int) [][2]int {
	return slices.DeleteFunc(slices.Clone(cells), func(c [2]int) bool { return slices.Contains(some, c) })
}

// changeRules change each thing in place.
var changeRules = []rule{
	{"fill_holes", 1, hollows, refilled(holes, ownColor)},
	{"paint_holes", 1, hollows, refilled(holes, paintColor)},
	{"paint_inner_cells", 2, blocks, refilled(innards, paintColor)},
	{"paint_outer_cells", 2, blocks, refilled(outsides, paintColor)},
	{"keep_inner_cells", 3, blocks, refilled(outsides, groundColor)},
	{"fill_boxes", 2, things, within(func(t thing, _, _ int, _ board) int { return t.color })},
	{"paint_rest_of_boxes", 2, things, within(func(t thing, i, j int, old board) int {
		return pick(old[t.top+i][t.left+j] == ground, paint, t.color)
	})},
	{"invert_boxes", 3, things, within(func(t thing, i, j int, old board) int { return t.color - old[t.top+i][t.left+j] })},
	{"outline_boxes", 3, things, within(func(t thing, i, j int, _ board) int {
		return pick(rim(i, j, t.height(), t.width()), t.color, ground)
	})},
	{"corners_of_boxes", 3, things, within(func(t thing, i, j int, _ board) int {
		return pick(fourCorners(i, j, t.height(), t.width()), t.color, ground)
	})},
	{"mirror_each_sideways", 3, things, within(func(t thing, i, j int, old board) int { return old[t.top+i][t.right-j] })},
	{"mirror_each_up_down", 3, things, within(func(t thing, i, j int, old board) int { return old[t.bottom-i][t.left+j] })},
	{"turn_each_half", 3, things, within(func(t thing, i, j int, old board) int { return old[t.bottom-i][t.right-j] })},
	{"surround_with_paint", 2, one, grown(ring, paintColor)},
	{"grow_on_all_sides", 2, one, grown(sides, ownColor)},
	{"grow_all_around", 2, one, grown(ring, ownColor)},
	{"paint_sides", 2, one, grown(sides, paintColor)},
	{"shadow_right", 3, one, grown([][2]int{{0, 1}}, paintColor)},
	{"shadow_below", 3, one, grown([][2]int{{1, 0}}, paintColor)},
	{"colors_from_left", 3, things, lined(func(a, b thing) int { return a.left - b.left }, false)},
	{"colors_from_top", 3, things, lined(func(a, b thing) int { return a.top - b.top }, true)},
	{"colors_by_size", 3, things, lined(func(a, b thing) int { return len(b.cells) - len(a.cells) }, false)},
	{"count_things", 3, things, func(p *picture) board {
		if len(p.things()) == 0 {
			return nil
		}
		return board{slices.Repeat([]int{paint}, len(p.things()))}
	}},
}

// lined makes a rule that lists the colors of things in a strict order: in a row, or in a
// column if down is true.
func lined(order func(a, b thing) int, down bool) func(p *picture) board {
	return func(p *picture) board {
		list := slices.SortedFunc(slices.Values(p.things()), order)
		if len(list) < 2 {
			return nil
		}
		out := grid.New[int](1, len(list))
		for i, t := range list {
			if i > 0 && order(list[i-1], t) == 0 {
				return nil
			}
			out[0][i] = t.color
		}
		if down {
			return transposed(out)
		}
		return out
	}
}
