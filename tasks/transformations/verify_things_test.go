package transformations

import (
	"slices"
	"strings"
)

// A standing measures one thing's lead over the others.
type standing func(s *shapeSet, all []*shapeSet) int

// chosen returns the only thing ahead of all others.
func chosen(x text, ahead standing) *shapeSet {
	all := shapesOf(x)
	return slices.MaxFunc(all, func(a, b *shapeSet) int { return ahead(a, all) - ahead(b, all) })
}

var standings = map[string]standing{
	"largest":   func(s *shapeSet, _ []*shapeSet) int { return len(s.at) },
	"smallest":  func(s *shapeSet, _ []*shapeSet) int { return -len(s.at) },
	"highest":   func(s *shapeSet, _ []*shapeSet) int { top, _, _, _ := s.ends(); return -top },
	"lowest":    func(s *shapeSet, _ []*shapeSet) int { _, _, bottom, _ := s.ends(); return bottom },
	"leftmost":  func(s *shapeSet, _ []*shapeSet) int { _, left, _, _ := s.ends(); return -left },
	"rightmost": func(s *shapeSet, _ []*shapeSet) int { _, _, _, right := s.ends(); return right },
	"tallest":   func(s *shapeSet, _ []*shapeSet) int { top, _, bottom, _ := s.ends(); return bottom - top },
	"widest":    func(s *shapeSet, _ []*shapeSet) int { _, left, _, right := s.ends(); return right - left },
	"oddly_colored": func(s *shapeSet, all []*shapeSet) int {
		n := 0
		for _, o := range all {
			if o.color == s.color {
				n--
			}
		}
		return n
	},
}

// kindVerifiers are the properties of things, judged by the looks of their rectangles.
var kindVerifiers = map[string]func(x text, s *shapeSet) bool{
	"at_the_rim": func(x text, s *shapeSet) bool {
		for at := range s.at {
			if at[0]*at[1] == 0 || at[0] == len(x)-1 || at[1] == len(x[0])-1 {
				return true
			}
		}
		return false
	},
	"of_one_cell":      func(x text, s *shapeSet) bool { return len(strings.Join(s.crop(x), "")) == 1 },
	"with_holes":       func(x text, s *shapeSet) bool { return len(enclosed(s.crop(x))) > 0 },
	"rectangular":      func(x text, s *shapeSet) bool { return !strings.Contains(strings.Join(s.crop(x), ""), "0") },
	"symmetric":        func(x text, s *shapeSet) bool { return slices.Equal(s.crop(x), rev(s.crop(x))) },
	"wider_than_tall":  func(x text, s *shapeSet) bool { c := s.crop(x); return len(c[0]) > len(c) },
	"taller_than_wide": func(x text, s *shapeSet) bool { c := s.crop(x); return len(c[0]) < len(c) },
}

func choiceVerifiers() map[string]verifier {
	all := map[string]verifier{}
	acts := func(name string, is func(x text) func(s *shapeSet) bool) {
		become := func(yes, no byte) verifier {
			return func(x text) text {
				is := is(x)
				return redone(x, func(s *shapeSet) byte {
					if is(s) {
						return yes
					}
					return no
				})
			}
		}
		all["keep_"+name], all["remove_"+name] = become(0, '0'), become('0', 0)
		all["paint_"+name], all["paint_all_but_"+name] = become('P', 0), become(0, 'P')
	}
	for name, ahead := range standings {
		all["crop_"+name] = func(x text) text { return chosen(x, ahead).crop(x) }
		acts(name, func(x text) func(s *shapeSet) bool {
			best := chosen(x, ahead)
			return func(s *shapeSet) bool {
				for at := range best.at {
					return s.at[at]
				}
				return false
			}
		})
	}
	for name, is := range kindVerifiers {
		acts("those_"+name, func(x text) func(s *shapeSet) bool {
			return func(s *shapeSet) bool { return is(x, s) }
		})
		delete(all, "paint_all_but_those_"+name)
	}
	return all
}

// inBoxes replaces the rectangle of each thing by f's result.
func inBoxes(f func(part text, color string) text) verifier {
	return func(x text) text {
		b := chars(x)
		for _, s := range shapesOf(x) {
			top, left, _, _ := s.ends()
			for i, row := range f(s.crop(x), string(s.color)) {
				copy(b[top+i][left:], row)
			}
		}
		return fromChars(b)
	}
}

// spread colors the cells at some steps from a colored cell, in its color or in paint.
func spread(painted bool, steps ...[2]int) verifier {
	return func(x text) text {
		b := chars(x)
		for i, s := range x {
			for j := range s {
				for _, d := range steps {
					k, l := i-d[0], j-d[1]
					if s[j] != '0' || k < 0 || l < 0 || k >= len(x) || l >= len(s) || x[k][l] == '0' {
						continue
					}
					if b[i][j] = x[k][l]; painted {
						b[i][j] = 'P'
					}
				}
			}
		}
		return fromChars(b)
	}
}

// outer replaces the cells inside things by inner, and those that touch the ground, even at
// a corner, by outer; an empty string leaves them alone.
func outer(x text, inner, outer string) text {
	near := spread(true, [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}}...)
	ground := core(near(replaced(toAll(framed(x, "0"), ".", ""), "0", "1", ".", "0"))) // P: of a thing, near the ground
	b := chars(x)
	for i, s := range ground {
		for j := range s {
			if s[j] == 'P' && outer != "" {
				b[i][j] = outer[0]
			}
			if s[j] == '0' && inner != "" {
				b[i][j] = inner[0]
			}
		}
	}
	return fromChars(b)
}

// listed writes the colors of things in a row, the leader first.
func listed(ahead standing) verifier {
	return func(x text) text {
		all := shapesOf(x)
		slices.SortFunc(all, func(a, b *shapeSet) int { return ahead(b, all) - ahead(a, all) })
		var s strings.Builder
		for _, one := range all {
			s.WriteByte(one.color)
		}
		return text{s.String()}
	}
}

var (
	plusSteps = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	allSteps  = append(slices.Clone(plusSteps), [][2]int{{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}...)
)

var changeVerifiers = map[string]verifier{
	"fill_holes": func(x text) text {
		b := chars(x)
		for i, row := range b {
			for j := range row {
				if enclosed(x)[[2]int{i, j}] {
					row[j] = row[j-1] // already filled
				}
			}
		}
		return fromChars(b)
	},
	"paint_holes": func(x text) text {
		b := chars(x)
		for at := range enclosed(x) {
			b[at[0]][at[1]] = 'P'
		}
		return fromChars(b)
	},
	"paint_inner_cells":   func(x text) text { return outer(x, "P", "") },
	"paint_outer_cells":   func(x text) text { return outer(x, "", "P") },
	"keep_inner_cells":    func(x text) text { return outer(x, "", "0") },
	"fill_boxes":          inBoxes(func(part text, color string) text { return replaced(part, "0", color) }),
	"paint_rest_of_boxes": inBoxes(func(part text, _ string) text { return replaced(part, "0", "P") }),
	"invert_boxes":        inBoxes(func(part text, color string) text { return replaced(part, "0", color, color, "0") }),
	"outline_boxes": inBoxes(func(part text, color string) text {
		if len(part) < 3 || len(part[0]) < 3 {
			return filled(part, color[0])
		}
		return framed(core(filled(part, '0')), color)
	}),
	"corners_of_boxes": inBoxes(func(part text, color string) text {
		ends := rowsOf(func(s string) string {
			if len(s) < 3 {
				return s
			}
			return s[:1] + zeros(len(s)-2) + s[len(s)-1:]
		})
		return up(ends)(ends(filled(part, color[0])))
	}),
	"mirror_each_sideways": inBoxes(func(part text, _ string) text { return rev(part) }),
	"mirror_each_up_down":  inBoxes(func(part text, _ string) text { return flip(part) }),
	"turn_each_half":       inBoxes(func(part text, _ string) text { return flip(rev(part)) }),
	"surround_with_paint":  spread(true, allSteps...),
	"grow_on_all_sides":    spread(false, plusSteps...),
	"grow_all_around":      spread(false, allSteps...),
	"paint_sides":          spread(true, plusSteps...),
	"shadow_right":         spread(true, [2]int{0, 1}),
	"shadow_below":         spread(true, [2]int{1, 0}),
	"colors_from_left":     listed(standings["leftmost"]),
	"colors_from_top":      after(listed(standings["highest"]), zip),
	"colors_by_size":       listed(standings["largest"]),
	"count_things":         func(x text) text { return text{strings.Repeat("P", len(shapesOf(x)))} },
}

// trimmed removes empty rows and columns at the ends.
func trimmed(x text) text {
	top := func(x text) text {
		for strings.Trim(x[0], "0") == "" {
			x = x[1:]
		}
		return x
	}
	return after(top, flip, top, flip, zip, top, flip, top, flip, zip)(x)
}

// toTop moves everything up as far as it goes.
func toTop(x text) text {
	for strings.Trim(x[0], "0") == "" {
		x = above(x[1:], x[:1])
	}
	return x
}

var cropVerifiers = map[string]verifier{
	"crop": trimmed, "crop_and_mirror_sideways": after(trimmed, rev), "crop_and_mirror_up_down": after(trimmed, flip),
	"crop_and_turn_right": after(trimmed, flip, zip), "crop_and_turn_left": after(trimmed, zip, flip), "crop_and_turn_half": after(trimmed, rev, flip),
	"crop_and_repeat_sideways": after(trimmed, doubled), "crop_and_enlarge_twice": after(trimmed, stretch, up(stretch)),
	"move_to_left_edge": up(toTop), "move_to_right_edge": up(after(flip, toTop, flip)), "move_to_top": toTop, "move_to_bottom": after(flip, toTop, flip),
	"move_to_top_left_corner": after(toTop, up(toTop)), "move_to_bottom_right_corner": after(flip, toTop, flip, up(after(flip, toTop, flip))),
}

// hit draws a cell, for each dot, wherever a relation holds for the distance from the dot,
// down and to the right.
func hit(painted bool, on func(down, right int) bool) verifier {
	return func(x text) text {
		b := chars(x)
		for _, s := range shapesOf(x) {
			top, left, _, _ := s.ends()
			for i := range b {
				for j := range b[i] {
					if b[i][j] != '0' || !on(i-top, j-left) {
						continue
					}
					if b[i][j] = s.color; painted {
						b[i][j] = 'P'
					}
				}
			}
		}
		return fromChars(b)
	}
}

// bridge connects the outer colored cells of each row.
func bridge(painted bool) verifier {
	return rowsOf(func(s string) string {
		middle := strings.Trim(s, "0")
		if middle == "" {
			return s
		}
		fill := middle[:1]
		if painted {
			fill = "P"
		}
		start := strings.Index(s, middle)
		return s[:start] + strings.ReplaceAll(middle, "0", fill) + s[start+len(middle):]
	})
}

// spanned draws into the smallest rectangle with all colors.
func spanned(draw func(part text, color string) text) verifier {
	return func(x text) text {
		b, color := chars(x), strings.Trim(strings.Join(x, ""), "0")[:1]
		at := [2]int{len(x), len(x[0])}
		for _, s := range shapesOf(x) {
			top, left, _, _ := s.ends()
			at = [2]int{min(at[0], top), min(at[1], left)}
		}
		part := trimmed(x)
		for i, row := range merged(part, draw(part, color)) {
			copy(b[at[0]+i][at[1]:], row)
		}
		return fromChars(b)
	}
}

func dotVerifiers() map[string]verifier {
	empty := func(part text) text { return core(filled(part, '0')) }
	level := func(down, _ int) bool { return down == 0 }
	plumb := func(_, right int) bool { return right == 0 }
	diagonal := func(down, right int) bool { return down == right || down == -right }
	straight := func(down, right int) bool { return down*right == 0 }
	near := func(down, right int) bool { return down*down == 1 && right*right == 1 }
	return map[string]verifier{
		"ray_right":              hit(false, func(down, right int) bool { return down == 0 && right > 0 }),
		"ray_left":               hit(false, func(down, right int) bool { return down == 0 && right < 0 }),
		"ray_up":                 hit(false, func(down, right int) bool { return down < 0 && right == 0 }),
		"ray_down":               hit(false, func(down, right int) bool { return down > 0 && right == 0 }),
		"whole_rows":             hit(false, level),
		"whole_columns":          hit(false, plumb),
		"paint_whole_rows":       hit(true, level),
		"paint_whole_columns":    hit(true, plumb),
		"saltires":               hit(false, near),
		"painted_saltires":       hit(true, near),
		"row_and_column":         hit(false, straight),
		"painted_row_and_column": hit(true, straight),
		"both_diagonals":         hit(false, diagonal),
		"painted_diagonals":      hit(true, diagonal),
		"falling_diagonal":       hit(false, func(down, right int) bool { return down == right }),
		"rising_diagonal":        hit(false, func(down, right int) bool { return down == -right }),
		"star":                   hit(false, func(down, right int) bool { return straight(down, right) || diagonal(down, right) }),

		"connect_in_rows": bridge(false), "connect_in_columns": up(bridge(false)), "paint_between_in_rows": bridge(true), "paint_between_in_columns": up(bridge(true)),
		"rectangle_between_corners":         spanned(func(part text, color string) text { return framed(empty(part), color) }),
		"painted_rectangle_between_corners": spanned(func(part text, _ string) text { return framed(empty(part), "P") }),
		"full_rectangle_between_corners":    spanned(func(part text, color string) text { return filled(part, color[0]) }),
		"painted_area_between_corners":      spanned(func(part text, _ string) text { return filled(part, 'P') }),
	}
}

// split returns the parts to the left and to the right of the middle column.
func split(x text) (a, b text) {
	m := len(x[0]) / 2
	return rowsOf(func(s string) string { return s[:m] })(x), rowsOf(func(s string) string { return s[m+1:] })(x)
}

func panelVerifiers() map[string]verifier {
	all := map[string]verifier{}
	add := func(name string, join func(a, b text) text) {
		one := func(x text) text { return join(split(x)) }
		all[name+"_side_by_side"], all[name+"_above_each_other"] = one, up(one)
	}
	// by says, for none, the first alone, the second alone, and both, whether to paint a cell
	by := func(paint string) func(a, b text) text {
		return func(a, b text) text {
			out := chars(a)
			for i := range out {
				for j := range out[i] {
					k := 0
					if a[i][j] != '0' {
						k++
					}
					if b[i][j] != '0' {
						k += 2
					}
					out[i][j] = paint[k]
				}
			}
			return fromChars(out)
		}
	}
	for name, paint := range map[string]string{
		"paint_where_both": "000P", "paint_where_either": "0PPP", "paint_where_one_only": "0PP0", "paint_where_none": "P000",
		"paint_where_alike": "P00P", "paint_unless_both": "PPP0", "paint_where_first_only": "0P00", "paint_where_second_only": "00P0",
	} {
		add(name, by(paint))
	}
	add("first_on_top", merged)
	add("second_on_top", func(a, b text) text { return merged(b, a) })
	empties := func(x text) int { return strings.Count(strings.Join(x, ""), "0") }
	add("fuller_part", func(a, b text) text {
		return slices.MinFunc([]text{a, b}, func(a, b text) int { return empties(a) - empties(b) })
	})
	add("emptier_part", func(a, b text) text {
		return slices.MaxFunc([]text{a, b}, func(a, b text) int { return empties(a) - empties(b) })
	})
	return all
}

func repairVerifiers() map[string]verifier {
	all := map[string]verifier{}
	for name, alike := range map[string]verifier{"mirrored_sideways": rev, "mirrored_up_down": flip, "mirrored_on_diagonal": zip, "turned_half": after(rev, flip), "repeated": repeated} {
		repair := func(x text) text { return merged(x, alike(x)) }
		all["repair_"+name] = repair
		all["missing_part_"+name] = func(x text) text {
			marked, whole := replaced(toAll(x, ".", ""), "0", "1", ".", "0"), repair(x)
			hole := &shapeSet{at: map[[2]int]bool{}}
			for i, s := range marked {
				for j := range s {
					if s[j] == '1' {
						hole.at[[2]int{i, j}] = true
					}
				}
			}
			return hole.crop(whole)
		}
	}
	return all
}

// repeated fills missing cells from those a multiple of a part's rows and columns away, for
// the smallest part without contradictions.
func repeated(x text) text {
	for area := 2; area <= 9; area++ {
		for rows := 1; rows <= 3; rows++ {
			if cols := area / rows; cols*rows == area && cols <= 3 {
				if out := filledBy(x, rows, cols); out != nil {
					return out
				}
			}
		}
	}
	return x
}

// filledBy fills a text with the given period of rows and columns, or returns nil if it has
// none.
func filledBy(x text, rows, cols int) text {
	for range len(x) + len(x[0]) {
		for _, move := range []verifier{
			func(x text) text { return slices.Concat(slices.Repeat(text{zeros(len(x[0]))}, rows), x)[:len(x)] },
			func(x text) text { return slices.Concat(x, slices.Repeat(text{zeros(len(x[0]))}, rows))[rows:] },
			rowsOf(func(s string) string { return (zeros(cols) + s)[:len(s)] }),
			rowsOf(func(s string) string { return (s + zeros(cols))[cols:] }),
		} {
			moved := move(x)
			if both := merged(moved, x); !slices.Equal(both, merged(x, moved)) {
				return nil
			}
			x = merged(x, moved)
		}
	}
	if strings.Contains(strings.Join(x, ""), "0") {
		return nil
	}
	return x
}
