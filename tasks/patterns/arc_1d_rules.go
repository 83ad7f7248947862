package patterns

import (
	"slices"
	"strconv"
	"sync"
)

// A rowRule is a kind of change to a row: paint returns the color of each cell after it.
type rowRule struct {
	name  string
	tier  int                          // 1 to 3, simplest first
	ks    []int                        // its possible parameters; nil: none
	scene func(scenery) []int          // draws rows that show its effect
	paint func(s *strip, i, k int) int // pure: callable for any cell of any row
	clear func(s *strip) bool          // whether people agree about its effect on s; nil: always

	changes cellKind // the cells it may recolor; 0: as the other rules in its list
	erases  bool     // its parameter is a color, but it only paints background; otherwise it paints that color
}

// A cellKind is background cells, colored cells, or both.
type cellKind int

const (
	emptyCells cellKind = 1 << iota
	coloredCells
	allCells = emptyCells | coloredCells
)

// A boundRowRule is a rule with its parameter.
type boundRowRule struct {
	*rowRule
	k int
}

// String names the rule and its parameter.
func (b boundRowRule) String() string {
	if b.ks == nil {
		return b.name
	}
	return b.name + "_" + strconv.Itoa(b.k)
}

// append appends the rule's result for s to out.
func (b boundRowRule) append(out []int, s *strip) []int {
	for i := range s.cells {
		out = append(out, b.paint(s, i, b.k))
	}
	return out
}

// rowRules are one or two rules, applied in sequence.
type rowRules []boundRowRule

// String names the rules.
func (rules rowRules) String() string {
	if len(rules) == 1 {
		return rules[0].String()
	}
	return rules[0].String() + "+" + rules[1].String()
}

// boundRowRules are all rules with all their parameters.
var boundRowRules = sync.OnceValue(func() (all rowRules) {
	table := rowRuleTable()
	for i := range table {
		rule := &table[i]
		for _, k := range append(slices.Clone(rule.ks), 0)[:max(1, len(rule.ks))] {
			all = append(all, boundRowRule{rule, k})
		}
	}
	return all
})

// A cellChange is a cell's change from one color, or background, to another.
type cellChange struct{ from, to int }

// kind returns the cells that a rule with this change must be able to recolor.
func (c cellChange) kind() cellKind {
	if c.from == 0 {
		return emptyCells
	}
	return coloredCells
}

// rulesFor returns the rules that may make this change, by the kind of cell and its new
// color.
func rulesFor(c cellChange) rowRules { return changingRules()[c.kind()][c.to] }

var changingRules = sync.OnceValue(func() (by [3][10]rowRules) {
	for _, rule := range boundRowRules() {
		for _, kind := range []cellKind{emptyCells, coloredCells} {
			for c := range by[kind] {
				if rule.changes&kind != 0 && (!slices.Equal(rule.ks, rowColors) || rule.erases && c == 0 || !rule.erases && c == rule.k) {
					by[kind][c] = append(by[kind][c], rule)
				}
			}
		}
	}
	return by
})

// tierRowRules[i] are the rules up to tier i.
var tierRowRules = sync.OnceValue(func() (tiers [4][]*rowRule) {
	table := rowRuleTable()
	for i := range table {
		for tier := table[i].tier; tier < len(tiers); tier++ {
			tiers[tier] = append(tiers[tier], &table[i])
		}
	}
	return tiers
})

// The parameters of rules.
var (
	oneToThree = []int{1, 2, 3}
	twoOrThree = []int{2, 3}
	rowColors  = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
)

// rowRuleTable has all rules. DO NOT CHANGE THE ORDER: it decides which problems a seed gives.
var rowRuleTable = sync.OnceValue(func() []rowRule {
	return slices.Concat(changing(allCells, movingRules), changing(emptyCells, drawingRules), changing(coloredCells, runRules),
		changing(coloredCells, coloringRules), changing(allCells, wholeRules))
})

// changing sets the kind of cells that rules change, unless they name one.
func changing(kind cellKind, rules []rowRule) []rowRule {
	rules = slices.Clone(rules)
	for i := range rules {
		if rules[i].changes == 0 {
			rules[i].changes = kind
		}
	}
	return rules
}

// movingRules move the contents.
var movingRules = []rowRule{
	{name: "shift_right", tier: 1, ks: oneToThree, scene: fewRuns, paint: func(s *strip, i, k int) int { return s.at(i - k) }},
	{name: "shift_left", tier: 1, ks: oneToThree, scene: fewRuns, paint: func(s *strip, i, k int) int { return s.at(i + k) }},
	{name: "rotate_right", tier: 2, ks: oneToThree, scene: manyRuns, paint: func(s *strip, i, k int) int { return s.wrapped(i - k) }},
	{name: "rotate_left", tier: 2, ks: oneToThree, scene: manyRuns, paint: func(s *strip, i, k int) int { return s.wrapped(i + k) }},
	{name: "mirror", tier: 1, scene: fewRuns, paint: func(s *strip, i, _ int) int { return s.cells[s.last()-i] }},
	{name: "fall_left", tier: 1, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.colored(i) }},
	{name: "fall_right", tier: 1, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.colored(i - len(s.cells) + len(s.full)) }},
	{name: "picture_to_left_end", tier: 2, scene: fewRuns, paint: func(s *strip, i, _ int) int { return s.at(i + s.after[0]) }},
	{name: "picture_to_right_end", tier: 2, scene: fewRuns, paint: func(s *strip, i, _ int) int { return s.at(i - s.last() + s.before[s.last()]) }},
	{name: "shift_right_by_length", tier: 3, scene: oneRun, paint: func(s *strip, i, _ int) int { return s.at(i - len(s.full)) }},
	{name: "shift_left_by_length", tier: 3, scene: oneRun, paint: func(s *strip, i, _ int) int { return s.at(i + len(s.full)) }},
	{name: "swap_halves", tier: 2, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.cells[s.inOtherHalf(i)] }},
	{name: "block_moves_to_mark", tier: 2, scene: blockAndMark, clear: blockBesideMark, paint: moveToMark},
	{name: "mirror_at_mark", tier: 3, scene: blockAndMark, clear: blockBesideMark, paint: func(s *strip, i, _ int) int { return s.at(2*s.mark() - i) }},
	{name: "reverse_pieces", tier: 2, scene: motley, paint: func(s *strip, i, _ int) int { return s.oppositeInPiece(i) }},
}

// drawingRules draw on the background.
var drawingRules = []rowRule{
	{name: "widen", tier: 1, scene: looseRuns, paint: func(s *strip, i, _ int) int { return first(s.cells[i], s.at(i-1), s.at(i+1)) }},
	{name: "widen_right", tier: 1, scene: looseRuns, paint: func(s *strip, i, _ int) int { return first(s.cells[i], s.at(i-1)) }},
	{name: "widen_left", tier: 1, scene: looseRuns, paint: func(s *strip, i, _ int) int { return first(s.cells[i], s.at(i+1)) }},
	{name: "ray_right", tier: 2, scene: dots, paint: func(s *strip, i, _ int) int { return s.at(s.before[i]) }},
	{name: "ray_left", tier: 2, scene: dots, paint: func(s *strip, i, _ int) int { return s.at(s.after[i]) }},
	{name: "dotted_ray_right", tier: 3, ks: twoOrThree, scene: dots, paint: func(s *strip, i, k int) int { return dotted(s.at(s.before[i]), i-s.before[i], k) }},
	{name: "dotted_ray_left", tier: 3, ks: twoOrThree, scene: dots, paint: func(s *strip, i, k int) int { return dotted(s.at(s.after[i]), s.after[i]-i, k) }},
	{name: "connect_same", tier: 2, scene: pairs, paint: func(s *strip, i, _ int) int {
		return first(s.cells[i], when(s.at(s.before[i]) == s.at(s.after[i]), s.at(s.before[i])))
	}},
	{name: "fill_from_left", tier: 2, scene: dots, paint: func(s *strip, i, _ int) int { return when(s.inside(i), s.at(s.before[i])) }},
	{name: "fill_from_right", tier: 2, scene: dots, paint: func(s *strip, i, _ int) int { return when(s.inside(i), s.at(s.after[i])) }},
	{name: "color_between", tier: 1, ks: rowColors, scene: fewRuns, paint: func(s *strip, i, k int) int { return first(s.cells[i], when(s.inside(i), k)) }},
	{name: "outline", tier: 2, ks: rowColors, scene: looseRuns, paint: func(s *strip, i, k int) int {
		return first(s.cells[i], when(s.at(i-1) != 0 || s.at(i+1) != 0, k))
	}},
	{name: "color_widest_gap", tier: 3, ks: rowColors, scene: manyRuns, clear: oneWidestGap, paint: func(s *strip, i, k int) int {
		return first(s.cells[i], when(s.after[i]-s.before[i] == s.widest, k))
	}},
	{name: "close_small_gaps", tier: 2, scene: broken, paint: func(s *strip, i, _ int) int { return first(s.cells[i], when(s.at(i-1) == s.at(i+1), s.at(i-1))) }},
	{name: "symmetric", tier: 2, scene: leftRuns, paint: func(s *strip, i, _ int) int { return first(s.cells[i], s.cells[s.last()-i]) }},
	{name: "symmetric_at_mark", tier: 3, scene: blockAndMark, clear: blockBesideMark, paint: func(s *strip, i, _ int) int { return first(s.cells[i], s.at(2*s.mark()-i)) }},
	{name: "block_grows_to_mark", tier: 2, scene: blockAndMark, clear: blockBesideMark, paint: func(s *strip, i, _ int) int { return first(s.cells[i], when(s.inside(i), s.blockColor())) }},
	{name: "repeat_left_half", tier: 2, changes: allCells, scene: leftRuns, paint: func(s *strip, i, _ int) int { return s.cells[min(i, s.inOtherHalf(i))] }},
	{name: "repeat_first_piece", tier: 2, changes: allCells, scene: firstPiece, paint: func(s *strip, i, _ int) int { return s.tiled(i) }},
	{name: "invert", tier: 1, changes: allCells, scene: manyRunsAlike, clear: oneColor, paint: func(s *strip, i, _ int) int { return when(s.cells[i] == 0, s.colored(0)) }},
}

// runRules remove some runs, or cells of runs.
var runRules = []rowRule{
	{name: "hollow", tier: 1, scene: longRuns, paint: func(s *strip, i, _ int) int { return when(s.atEnd(i), s.cells[i]) }},
	{name: "peel", tier: 1, scene: longRuns, paint: func(s *strip, i, _ int) int { return when(!s.atEnd(i), s.cells[i]) }},
	{name: "drop_starts", tier: 2, scene: longRuns, paint: func(s *strip, i, _ int) int { return when(s.offset(i) > 0, s.cells[i]) }},
	{name: "drop_ends", tier: 2, scene: longRuns, paint: func(s *strip, i, _ int) int { return when(s.offset(i) < s.length(i)-1, s.cells[i]) }},
	{name: "only_starts", tier: 2, scene: longRuns, paint: func(s *strip, i, _ int) int { return when(s.offset(i) == 0, s.cells[i]) }},
	{name: "only_ends", tier: 2, scene: longRuns, paint: func(s *strip, i, _ int) int { return when(s.offset(i) == s.length(i)-1, s.cells[i]) }},
	{name: "split", tier: 2, scene: longRuns, paint: func(s *strip, i, _ int) int { return when(!s.inMiddle(i), s.cells[i]) }},
	{name: "every_second", tier: 2, scene: longRuns, paint: func(s *strip, i, _ int) int { return when(s.offset(i)&1 == 0, s.cells[i]) }},
	{name: "erase_singles", tier: 1, scene: runsAndSingles, paint: func(s *strip, i, _ int) int { return when(s.length(i) > 1, s.cells[i]) }},
	{name: "only_singles", tier: 1, scene: runsAndSingles, paint: func(s *strip, i, _ int) int { return when(s.length(i) == 1, s.cells[i]) }},
	{name: "only_longest", tier: 1, scene: manyRuns, clear: oneLongest, paint: func(s *strip, i, _ int) int { return when(s.length(i) == s.longest, s.cells[i]) }},
	{name: "erase_longest", tier: 1, scene: manyRuns, clear: oneLongest, paint: func(s *strip, i, _ int) int { return when(s.length(i) != s.longest, s.cells[i]) }},
	{name: "only_shortest", tier: 2, scene: manyRuns, clear: oneShortest, paint: func(s *strip, i, _ int) int { return when(s.length(i) == s.shortest, s.cells[i]) }},
	{name: "erase_shortest", tier: 2, scene: manyRuns, clear: oneShortest, paint: func(s *strip, i, _ int) int { return when(s.length(i) != s.shortest, s.cells[i]) }},
	{name: "erase_first", tier: 1, scene: manyRuns, paint: func(s *strip, i, _ int) int { return when(s.of[i] > 0, s.cells[i]) }},
	{name: "erase_last", tier: 1, scene: manyRuns, paint: func(s *strip, i, _ int) int { return when(s.of[i] < len(s.runs)-1, s.cells[i]) }},
	{name: "only_first", tier: 1, scene: manyRuns, paint: func(s *strip, i, _ int) int { return when(s.of[i] == 0, s.cells[i]) }},
	{name: "only_last", tier: 1, scene: manyRuns, paint: func(s *strip, i, _ int) int { return when(s.of[i] == len(s.runs)-1, s.cells[i]) }},
	{name: "erase_even", tier: 3, scene: manyRuns, paint: func(s *strip, i, _ int) int { return when(s.length(i)&1 == 1, s.cells[i]) }},
	{name: "erase_odd", tier: 3, scene: manyRuns, paint: func(s *strip, i, _ int) int { return when(s.length(i)&1 == 0, s.cells[i]) }},
	{name: "erase_at_borders", tier: 3, scene: runsAtBorders, paint: func(s *strip, i, _ int) int { return when(!s.touchesBorder(i), s.cells[i]) }},
	{name: "only_color", tier: 1, ks: rowColors, erases: true, scene: runsWithColor, paint: func(s *strip, i, k int) int { return when(s.cells[i] == k, k) }},
	{name: "erase_color", tier: 1, ks: rowColors, erases: true, scene: runsWithColor, paint: func(s *strip, i, k int) int { return when(s.cells[i] != k, s.cells[i]) }},
}

// coloringRules recolor runs, or parts of them.
var coloringRules = []rowRule{
	{name: "color_all", tier: 1, ks: rowColors, scene: manyRuns, paint: func(s *strip, i, k int) int { return s.recolored(i, true, k) }},
	{name: "color_first", tier: 1, ks: rowColors, scene: manyRuns, paint: func(s *strip, i, k int) int { return s.recolored(i, s.of[i] == 0, k) }},
	{name: "color_last", tier: 1, ks: rowColors, scene: manyRuns, paint: func(s *strip, i, k int) int { return s.recolored(i, s.of[i] == len(s.runs)-1, k) }},
	{name: "color_longest", tier: 1, ks: rowColors, scene: manyRunsAlike, clear: oneLongest, paint: func(s *strip, i, k int) int { return s.recolored(i, s.length(i) == s.longest, k) }},
	{name: "color_shortest", tier: 2, ks: rowColors, scene: manyRunsAlike, clear: oneShortest, paint: func(s *strip, i, k int) int { return s.recolored(i, s.length(i) == s.shortest, k) }},
	{name: "color_even", tier: 3, ks: rowColors, scene: manyRunsAlike, paint: func(s *strip, i, k int) int { return s.recolored(i, s.length(i)&1 == 0, k) }},
	{name: "color_odd", tier: 3, ks: rowColors, scene: manyRunsAlike, paint: func(s *strip, i, k int) int { return s.recolored(i, s.length(i)&1 == 1, k) }},
	{name: "color_ends", tier: 2, ks: rowColors, scene: longRuns, paint: func(s *strip, i, k int) int { return s.recolored(i, s.atEnd(i), k) }},
	{name: "color_insides", tier: 2, ks: rowColors, scene: longRuns, paint: func(s *strip, i, k int) int { return s.recolored(i, !s.atEnd(i), k) }},
	{name: "color_middles", tier: 2, ks: rowColors, scene: longRuns, paint: func(s *strip, i, k int) int { return s.recolored(i, s.inMiddle(i), k) }},
	{name: "color_every_second", tier: 3, ks: rowColors, scene: longRuns, paint: func(s *strip, i, k int) int { return s.recolored(i, s.offset(i)&1 == 1, k) }},
	{name: "color_at_borders", tier: 3, ks: rowColors, scene: runsAtBorders, paint: func(s *strip, i, k int) int { return s.recolored(i, s.touchesBorder(i), k) }},
	{name: "color_by_order", tier: 2, scene: manyRunsAlike, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.of[i]%9+1) }},
	{name: "color_by_length", tier: 2, scene: manyRunsAlike, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, min(s.length(i), 9)) }},
	{name: "colors_move_right", tier: 3, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.colorOf(s.of[i]-1)) }},
	{name: "colors_move_left", tier: 3, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.colorOf(s.of[i]+1)) }},
	{name: "colors_reversed", tier: 2, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.colorOf(len(s.runs)-1-s.of[i])) }},
	{name: "color_of_first", tier: 2, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.colorOf(0)) }},
	{name: "color_of_last", tier: 2, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.colorOf(len(s.runs)-1)) }},
	{name: "color_of_longest", tier: 3, scene: manyRuns, clear: oneLongest, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.longestColor()) }},
	{name: "most_frequent_color", tier: 3, scene: dots, clear: oneFrequent, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.frequent()) }},
	{name: "only_most_frequent_color", tier: 3, scene: dots, clear: oneFrequent, paint: func(s *strip, i, _ int) int { return when(s.cells[i] == s.frequent(), s.cells[i]) }},
	{name: "swap_two_colors", tier: 1, scene: twoColors, clear: hasTwoColors, paint: func(s *strip, i, _ int) int { return s.recolored(i, true, s.lowest()+s.highest()-s.cells[i]) }},
	{name: "replace_by_legend", tier: 3, scene: legend, paint: func(s *strip, i, _ int) int { return s.recolored(i, i > 1 && s.cells[i] == s.cells[0], s.at(1)) }},
}

// wholeRules depend on the whole row.
var wholeRules = []rowRule{
	{name: "sort", tier: 2, scene: dense, paint: func(s *strip, i, _ int) int { return s.sorted(i) }},
	{name: "sort_down", tier: 2, scene: dense, paint: func(s *strip, i, _ int) int { return s.sorted(s.last() - i) }},
	{name: "heal", tier: 2, scene: spoiled, paint: func(s *strip, i, _ int) int {
		if i > 0 && i < s.last() && s.cells[i-1] == s.cells[i+1] {
			return s.cells[i-1]
		}
		return s.cells[i]
	}},
	{name: "count_runs", tier: 3, scene: manyRunsAlike, clear: oneColor, paint: func(s *strip, i, _ int) int { return when(i < len(s.runs), s.colored(0)) }},
	{name: "mirror_left_half", tier: 2, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.cells[min(i, s.last()-i)] }},
	{name: "mirror_right_half", tier: 2, scene: manyRuns, paint: func(s *strip, i, _ int) int { return s.cells[max(i, s.last()-i)] }},
	{name: "exchange_neighbors", tier: 3, scene: dense, paint: func(s *strip, i, _ int) int { return s.cells[min(i^1, s.last())] }},
	{name: "colored_places_reversed", tier: 3, scene: dots, paint: func(s *strip, i, _ int) int { return when(s.cells[i] != 0, s.colored(len(s.full)-1-s.rank(i))) }},
}
