package transformations

import "github.com/quintain-rl/quintain/internal/grid"

// A joint combines two boards of the same size into one, or returns nil if it cannot.
type joint func(first, second board) board

// joined makes a rule that joins the parts to the left and to the right of a line of one
// color in the middle.
func joined(join joint) func(b board) board {
	return func(b board) board {
		h, w := size(b)
		half := w / 2
		if w%2 == 0 || half == 0 || h < 2 || b[0][half] == ground {
			return nil
		}
		for _, row := range b {
			if row[half] != b[0][half] {
				return nil
			}
		}
		return join(cut(b, box{0, 0, h - 1, half - 1}), cut(b, box{0, half + 1, h - 1, w - 1}))
	}
}

// cellwise joins boards cell by cell.
func cellwise(cell func(a, b int) int) joint {
	return func(first, second board) board {
		h, w := size(first)
		return grid.Build(h, w, func(i, j int) int { return cell(first[i][j], second[i][j]) })
	}
}

// where paints the cells for which a condition holds on the cells of both parts.
func where(holds func(a, b bool) bool) joint {
	return cellwise(func(a, b int) int { return pick(holds(colored(a), colored(b)), paint, ground) })
}

// fuller returns the part with more colored cells, or with fewer if less is true.
func fuller(less bool) joint {
	return func(first, second board) board {
		n := count(first) - count(second)
		switch {
		case n == 0:
			return nil
		case n > 0 != less:
			return first
		}
		return second
	}
}

// count counts the colored cells.
func count(b board) (n int) {
	for _, row := range b {
		for _, c := range row {
			n += min(c, 1)
		}
	}
	return n
}

// joints are the ways to join two parts.
var joints = []struct {
	name string
	tier int
	join joint
}{
	{"paint_where_both", 2, where(func(a, b bool) bool { return a && b })},
	{"paint_where_either", 2, where(func(a, b bool) bool { return a || b })},
	{"paint_where_one_only", 3, where(func(a, b bool) bool { return a != b })},
	{"paint_where_none", 2, where(func(a, b bool) bool { return !a && !b })},
	{"paint_where_alike", 3, where(func(a, b bool) bool { return a == b })},
	{"paint_unless_both", 3, where(func(a, b bool) bool { return !a || !b })},
	{"paint_where_first_only", 3, where(func(a, b bool) bool { return a && !b })},
	{"paint_where_second_only", 3, where(func(a, b bool) bool { return b && !a })},
	{"first_on_top", 2, cellwise(func(a, b int) int { return pick(colored(a), a, b) })},
	{"second_on_top", 2, cellwise(func(a, b int) int { return pick(colored(b), b, a) })},
	{"fuller_part", 3, fuller(false)},
	{"emptier_part", 3, fuller(true)},
}

// panelRules join two parts of a picture, separated by a line.
func panelRules() (all []rule) {
	for _, j := range joints {
		all = append(all,
			rule{j.name + "_side_by_side", j.tier, panels, along(joined(j.join))},
			rule{j.name + "_above_each_other", j.tier, panelsUp, across(joined(j.join))})
	}
	return all
}
