package transformations

import (
	"maps"
	"slices"
	"strings"
)

// A verifier returns the result of a rule on a text.
type verifier = func(x text) text

// verifiers returns a second implementation of each rule, by name.
func verifiers() map[string]verifier {
	all := map[string]verifier{}
	for _, some := range []map[string]verifier{placeVerifiers, enlargingVerifiers, maskVerifiers(), colorVerifiers, choiceVerifiers(), changeVerifiers, cropVerifiers, dotVerifiers(), panelVerifiers(), repairVerifiers(), rowVerifiers} {
		maps.Copy(all, some)
	}
	return all
}

func rowsOf(f func(s string) string) verifier {
	return everyRow(func(_ int, s string) string { return f(s) })
}

var (
	rollRight = rowsOf(func(s string) string { return roll(s, 1) })
	rollLeft  = rowsOf(func(s string) string { return s[1:] + s[:1] })
	pushRight = rowsOf(func(s string) string { return "0" + s[:len(s)-1] })
	pushLeft  = rowsOf(func(s string) string { return s[1:] + "0" })
	swapHalf  = rowsOf(func(s string) string { return s[len(s)/2:] + s[:len(s)/2] })
	leftHalf  = rowsOf(func(s string) string { return s[:len(s)/2] })
	rightHalf = rowsOf(func(s string) string { return s[len(s)/2:] })
	swapEnds  = func(x text) text { return slices.Concat(x[len(x)-1:], x[1:len(x)-1], x[:1]) }
	shear     = everyRow(func(i int, s string) string { return roll(s, i) })
	everyTwo  = func(x text) (out text) {
		for i := 0; i < len(x); i += 2 {
			out = append(out, x[i])
		}
		return out
	}
	mirrorSeconds = everyRow(func(i int, s string) string {
		if i%2 == 0 {
			return s
		}
		return backward(s)
	})
	doubled = rowsOf(func(s string) string { return s + s })
	stretch = rowsOf(func(s string) string {
		var out strings.Builder
		for i := range s {
			out.WriteString(s[i:i+1] + s[i:i+1])
		}
		return out.String()
	})
	withMirror = func(x text) text { return beside(x, rev(x)) }
	sparseRows = func(x text) (out text) {
		for i, s := range x {
			if i > 0 {
				out = append(out, zeros(len(s)))
			}
			out = append(out, s)
		}
		return out
	}
)

var placeVerifiers = map[string]verifier{
	"mirror_sideways": rev, "mirror_up_down": flip, "turn_half": after(rev, flip), "turn_right": after(flip, zip), "turn_left": after(zip, flip),
	"transpose": zip, "transpose_other_diagonal": after(zip, rev, flip),
	"roll_right": rollRight, "roll_left": rollLeft, "roll_down": up(rollRight), "roll_up": up(rollLeft),
	"push_right": pushRight, "push_left": pushLeft, "push_down": up(pushRight), "push_up": up(pushLeft),
	"swap_left_and_right_halves": swapHalf, "swap_top_and_bottom_halves": up(swapHalf),
	"swap_first_and_last_row": swapEnds, "swap_first_and_last_column": up(swapEnds),
	"shear_right": shear, "shear_left": everyRow(func(i int, s string) string { return roll(s, -i) }), "shear_down": up(shear),
	"mirror_every_second_row": mirrorSeconds, "mirror_every_second_column": up(mirrorSeconds),
	"mirror_inside_sideways": func(x text) text {
		out := slices.Clone(x)
		for i := 1; i < len(x)-1; i++ {
			w := len(x[i])
			out[i] = x[i][:1] + backward(x[i][1:w-1]) + x[i][w-1:]
		}
		return out
	},
	"mirror_rim_sideways": func(x text) text {
		out := rev(x)
		for i := 1; i < len(x)-1; i++ {
			w := len(x[i])
			out[i] = x[i][w-1:] + x[i][1:w-1] + x[i][:1]
		}
		return out
	},
	"reflect_left_half":   func(x text) text { return withMirror(leftHalf(x)) },
	"reflect_right_half":  func(x text) text { return rev(withMirror(leftHalf(rev(x)))) },
	"reflect_top_half":    up(func(x text) text { return withMirror(leftHalf(x)) }),
	"reflect_bottom_half": up(func(x text) text { return rev(withMirror(leftHalf(rev(x)))) }),
	"repeat_left_half":    after(leftHalf, doubled), "repeat_top_half": up(after(leftHalf, doubled)),
	"left_half": leftHalf, "right_half": rightHalf, "top_half": up(leftHalf), "bottom_half": up(rightHalf),
	"top_left_quarter": after(leftHalf, up(leftHalf)), "top_right_quarter": after(rightHalf, up(leftHalf)),
	"bottom_left_quarter": after(leftHalf, up(rightHalf)), "bottom_right_quarter": after(rightHalf, up(rightHalf)),
	"cut_off_rim": core, "cut_off_first_row": func(x text) text { return x[1:] }, "cut_off_last_row": func(x text) text { return x[:len(x)-1] },
	"cut_off_first_column": rowsOf(func(s string) string { return s[1:] }), "cut_off_last_column": rowsOf(func(s string) string { return s[:len(s)-1] }),
	"first_row": func(x text) text { return x[:1] }, "last_row": func(x text) text { return x[len(x)-1:] },
	"first_column": rowsOf(func(s string) string { return s[:1] }), "last_column": rowsOf(func(s string) string { return s[len(s)-1:] }),
	"diagonal_as_row": func(x text) text {
		return text{strings.Join(everyRow(func(i int, s string) string { return s[i : i+1] })(x), "")}
	},
	"every_second_row": everyTwo, "every_second_column": up(everyTwo), "every_second_of_both": after(everyTwo, up(everyTwo)),
}

var enlargingVerifiers = map[string]verifier{
	"enlarge_twice": after(stretch, up(stretch)),
	"enlarge_three_times": func(x text) text {
		triple := rowsOf(func(s string) string {
			var out strings.Builder
			for _, c := range s {
				out.WriteString(strings.Repeat(string(c), 3))
			}
			return out.String()
		})
		return after(triple, up(triple))(x)
	},
	"stretch_sideways": stretch, "stretch_up_down": up(stretch),
	"twice_side_by_side": doubled, "twice_above_each_other": func(x text) text { return above(x, x) },
	"four_tiles": func(x text) text { return above(beside(x, x), beside(x, x)) },
	"nine_tiles": func(x text) text {
		line := beside(beside(x, x), x)
		return slices.Concat(line, line, line)
	},
	"reflection_on_the_right": withMirror, "reflection_on_the_left": func(x text) text { return beside(rev(x), x) },
	"reflection_below": func(x text) text { return above(x, flip(x)) }, "reflection_above": func(x text) text { return above(flip(x), x) },
	"kaleidoscope": func(x text) text { return above(withMirror(x), flip(withMirror(x))) },
	"pinwheel": func(x text) text {
		right := after(flip, zip)
		return above(beside(x, right(x)), beside(right(right(right(x))), right(right(x))))
	},
	"space_out": after(sparseRows, up(sparseRows)),
}

// cutting adds a verifier that keeps some part of a text, and one that paints it.
func cutting(all map[string]verifier, name string, keep verifier) {
	all["keep_"+name] = keep
	all["paint_"+name] = func(x text) text { return merged(keep(filled(x, 'P')), x) }
}

func maskVerifiers() map[string]verifier {
	all := map[string]verifier{
		"frame":           func(x text) text { return framed(x, "P") },
		"frame_of_ground": func(x text) text { return framed(x, "0") },
	}
	hole := func(x text) text { return framed(core(x), "0") }
	falling := everyRow(func(i int, s string) string { return zeros(i) + s[i:i+1] + zeros(len(s)-i-1) })
	rising := after(rev, falling, rev)
	upperPart := everyRow(func(i int, s string) string { return zeros(i) + s[i:] })
	middle := func(x text) text {
		out := filled(x, '0')
		out[len(x)/2] = x[len(x)/2]
		return out
	}
	seconds := func(x text) text {
		out := filled(x, '0')
		for i := 0; i < len(x); i += 2 {
			out[i] = x[i]
		}
		return out
	}
	cutting(all, "inside", hole)
	cutting(all, "rim", func(x text) text {
		b := chars(x)
		for i := 1; i < len(b)-1; i++ {
			for j := 1; j < len(b[i])-1; j++ {
				b[i][j] = '0'
			}
		}
		return fromChars(b)
	})
	cutting(all, "corners", func(x text) text {
		ends := rowsOf(func(s string) string { return s[:1] + zeros(len(s)-2) + s[len(s)-1:] })
		return up(ends)(ends(x))
	})
	cutting(all, "checkered", func(x text) text {
		odd := after(up(seconds), seconds)
		shifted := rowsOf(func(s string) string { return "0" + s })
		back := rowsOf(func(s string) string { return s[1:] })
		even := after(shifted, func(x text) text { return above(filled(x[:1], '0'), x) }, odd, func(x text) text { return x[1:] }, back)
		return merged(odd(x), even(x))
	})
	cutting(all, "odd_rows", seconds)
	cutting(all, "odd_columns", up(seconds))
	cutting(all, "diagonal", falling)
	cutting(all, "other_diagonal", rising)
	cutting(all, "diagonals", func(x text) text { return merged(falling(x), rising(x)) })
	cutting(all, "above_diagonal", upperPart)
	cutting(all, "below_diagonal", up(upperPart))
	cutting(all, "middle_row", middle)
	cutting(all, "middle_column", up(middle))
	cutting(all, "middle_cross", func(x text) text { return merged(middle(x), up(middle)(x)) })
	return all
}

// ranked returns the most common color and the rarest.
func ranked(x text) (common, rare string) {
	counts := countsOf(x)
	order := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return counts[b] - counts[a] })
	return order[0], order[len(order)-1]
}

// byRank makes a verifier from pairs of characters to replace; c and r stand for the most
// common color and the rarest.
func byRank(pairs ...string) verifier {
	return func(x text) text {
		common, rare := ranked(x)
		filled := slices.Clone(pairs)
		for i, p := range filled {
			filled[i] = strings.NewReplacer("c", common, "r", rare).Replace(p)
		}
		return replaced(x, filled...)
	}
}

// toAll replaces every color except but.
func toAll(x text, char, but string) text {
	var pairs []string
	for _, c := range "123456789" {
		if string(c) != but {
			pairs = append(pairs, string(c), char)
		}
	}
	return replaced(x, pairs...)
}

var (
	falls    = rowsOf(func(s string) string { c := strings.ReplaceAll(s, "0", ""); return zeros(len(s)-len(c)) + c })
	firsts   = rowsOf(func(s string) string { return strings.Repeat(s[:1], len(s)) })
	fullRows = func(x text) text {
		return slices.DeleteFunc(slices.Clone(x), func(s string) bool { return strings.Trim(s, "0") == "" })
	}
	emptyPaints = rowsOf(func(s string) string {
		if strings.Trim(s, "0") == "" {
			return strings.Repeat("P", len(s))
		}
		return s
	})
)

var colorVerifiers = map[string]verifier{
	"keep_most_common":            func(x text) text { common, _ := ranked(x); return toAll(x, "0", common) },
	"keep_rarest":                 func(x text) text { _, rare := ranked(x); return toAll(x, "0", rare) },
	"all_most_common":             func(x text) text { common, _ := ranked(x); return toAll(x, common, "") },
	"remove_most_common":          byRank("c", "0"),
	"remove_rarest":               byRank("r", "0"),
	"paint_most_common":           byRank("c", "P"),
	"paint_rarest":                byRank("r", "P"),
	"ground_most_common":          byRank("0", "c"),
	"rarest_as_most_common":       byRank("r", "c"),
	"swap_most_common_and_rarest": byRank("r", "c", "c", "r"),
	"most_common_alone":           func(x text) text { common, _ := ranked(x); return text{common} },
	"rarest_alone":                func(x text) text { _, rare := ranked(x); return text{rare} },
	"paint_all":                   func(x text) text { return toAll(x, "P", "") },
	"paint_ground":                func(x text) text { return replaced(x, "0", "P") },
	"next_color": func(x text) text {
		return replaced(x, "1", "2", "2", "3", "3", "4", "4", "5", "5", "6", "6", "7", "7", "8", "8", "9", "9", "1")
	},
	"previous_color": func(x text) text {
		return replaced(x, "2", "1", "3", "2", "4", "3", "5", "4", "6", "5", "7", "6", "8", "7", "9", "8", "1", "9")
	},
	"invert":           byRank("0", "c", "c", "0"),
	"invert_and_paint": func(x text) text { return replaced(toAll(x, ".", ""), "0", "P", ".", "0") },
	"fall_right":       falls, "fall_left": after(rev, falls, rev), "fall_down": up(falls), "fall_up": up(after(rev, falls, rev)),
	"first_of_row": firsts, "last_of_row": after(rev, firsts), "first_of_column": up(firsts), "last_of_column": up(after(rev, firsts)),
	"leave_out_empty_rows": fullRows, "leave_out_empty_columns": up(fullRows), "paint_empty_rows": emptyPaints, "paint_empty_columns": up(emptyPaints),
}

var rowVerifiers = map[string]verifier{
	"row_on_every_row":       func(x text) text { return slices.Repeat(x, len(x[0])) },
	"row_as_stripes":         func(x text) text { return zip(slices.Repeat(x, len(x[0]))) },
	"row_on_diagonal":        steps(func(i, n int, s string) string { return zeros(i) + s[i:i+1] + zeros(n-i-1) }),
	"row_on_other_diagonal":  steps(func(i, n int, s string) string { return zeros(n-i-1) + s[n-i-1:n-i] + zeros(i) }),
	"row_in_growing_steps":   steps(func(i, n int, s string) string { return s[:i+1] + zeros(n-i-1) }),
	"row_in_shrinking_steps": steps(func(i, n int, s string) string { return s[:n-i] + zeros(i) }),
	"row_pushed_right":       steps(func(i, n int, s string) string { return zeros(i) + s[:n-i] }),
	"row_rolled_right":       steps(func(i, _ int, s string) string { return roll(s, i) }),
	"row_rolled_left":        steps(func(i, _ int, s string) string { return s[i:] + s[:i] }),
	"row_as_nested_squares":  func(x text) text { return squares(backward(x[0])) },
	"row_as_growing_squares": func(x text) text { return squares(x[0]) },
	"row_as_corners": func(x text) text {
		out := text{x[0][:1]}
		for i := 1; i < len(x[0]); i++ {
			c := x[0][i : i+1]
			out = above(rowsOf(func(s string) string { return s + c })(out), text{strings.Repeat(c, i+1)})
		}
		return out
	},
	"row_as_bars": steps(func(i, n int, s string) string { return zeros(n-i-1) + s[n-i-1:] }),
}

// steps makes rows from the only row.
func steps(row func(i, n int, s string) string) verifier {
	return func(x text) (out text) {
		for i := range x[0] {
			out = append(out, row(i, len(x[0]), x[0]))
		}
		return out
	}
}

// squares draws frames around the first color.
func squares(s string) text {
	out := text{s[:1]}
	for i := 1; i < len(s); i++ {
		out = framed(out, s[i:i+1])
	}
	return out
}
