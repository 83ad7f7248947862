package languages

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// Limit of the kinds of things in a set of recipes.
const mostKinds = 9

// A stock counts the things of each kind.
type stock [mostKinds]int

// A recipe turns some things into others: it takes negative amounts and gives positive
// ones.
type recipe [mostKinds]int8

// applyRecipes applies, again and again, the first recipe with enough things, until none has enough
// or most steps are made. It returns the number of steps.
func applyRecipes(have stock, recipes []recipe, most int) (end stock, steps int) {
	for ; steps < most; steps++ {
		next := slices.IndexFunc(recipes, func(r recipe) bool { return have.enough(&r) })
		if next < 0 {
			break
		}
		for kind, change := range recipes[next] {
			have[kind] += int(change)
		}
	}
	return have, steps
}

// enough reports whether have suffices for r.
func (c *stock) enough(r *recipe) bool {
	for kind, change := range r {
		if c[kind]+int(change) < 0 {
			return false
		}
	}
	return true
}

// countsText writes numbers separated by spaces.
func countsText(all []int) string {
	b := make([]byte, 0, 64)
	for i, n := range all {
		if i > 0 {
			b = append(b, ' ')
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(b)
}

// A variant holds the differences between string_splitting and string_synthesis.
type variant struct {
	kinds   []string       // names of the things; the first three are there at the start
	recipes []recipe       // those of reasoning-gym: its entries do not list them
	enough  [3]bool        // kinds drawn at their maximum if no recipe above applies
	weight  [mostKinds]int // of a thing; every recipe makes the whole lighter, so every run ends
	stages  []stage        // one drawn recipe each
	and     string         // between the things of a recipe
	counts  bool           // things of a kind are counted in words, instead of listed one by one
	applies string         // when a recipe applies
	form    string         // form of the answer
}

// A stage restricts the recipes to draw.
type stage struct {
	taken, given [2]int // first and last kind
	least, most  int    // number of things taken
}

// A system is a start, its rules, and the end that they lead to.
type system struct {
	start [3]int
	rules []recipe
	end   []int
}

// draw draws the start, least to most of each of the first kinds, and recipes. At least one
// of them applies.
func (v *variant) draw(least, most, iterations int, r *rng.Rand) system {
	var have stock
	for kind := range 3 {
		have[kind] = r.Between(least, most)
	}
	const tries = 20
	for range tries {
		rules := v.invent(r)
		if left, steps := applyRecipes(have, rules, iterations); steps > 0 {
			return system{[3]int(have[:3]), rules, left[:len(v.kinds)]}
		}
	}
	for kind, enough := range v.enough {
		if enough {
			have[kind] = most
		}
	}
	left, _ := applyRecipes(have, v.recipes, iterations)
	return system{[3]int(have[:3]), v.recipes, left[:len(v.kinds)]}
}

// invent draws a recipe for each stage.
func (v *variant) invent(r *rng.Rand) []recipe {
	rules := make([]recipe, 0, len(v.stages))
	for i := range v.stages {
		drawn, fits := v.drawRecipe(&v.stages[i], r)
		for !fits || hidden(&drawn, rules) {
			drawn, fits = v.drawRecipe(&v.stages[i], r)
		}
		rules = append(rules, drawn)
	}
	return rules
}

// drawRecipe draws a recipe, and reports whether it fits.
func (v *variant) drawRecipe(s *stage, r *rng.Rand) (drawn recipe, fits bool) {
	weight := 0
	for range r.Between(s.least, s.most) {
		kind := r.Between(s.taken[0], s.taken[1])
		drawn[kind]--
		weight -= v.weight[kind]
	}
	for range r.Between(1, 3) {
		if kind := r.Between(s.given[0], s.given[1]); drawn[kind] >= 0 {
			drawn[kind]++
			weight += v.weight[kind]
			fits = true
		}
	}
	return drawn, fits && weight < 0
}

// fits reports whether a recipe takes things and gives lighter ones.
func (v *variant) fits(r *recipe) bool {
	weight, gives := 0, false
	for kind, change := range r {
		weight += int(change) * v.weight[kind]
		gives = gives || change > 0
	}
	return weight < 0 && gives
}

// hidden reports whether a recipe before r takes so little that it always applies in place
// of r.
func hidden(r *recipe, before []recipe) bool {
	for i := range before {
		if before[i].hides(r) {
			return true
		}
	}
	return false
}

// hides reports whether r applies whenever other does.
func (r *recipe) hides(other *recipe) bool {
	for kind, change := range r {
		if change < min(0, other[kind]) {
			return false
		}
	}
	return true
}

// prompt returns the question, which begins with wording.
func (v *variant) prompt(wording string, d system, iterations int) string {
	b := append(append(make([]byte, 0, task.PromptRoom), wording...), '\n')
	for i, r := range v.rules(d.rules) {
		b = strconv.AppendInt(append(b, '\n'), int64(i+1), 10)
		b = v.appendRule(append(b, ". "...), &r)
	}
	b = append(append(b, "\n\n"...), v.applies...)
	b = append(b, " This goes on until no rule can be applied, but for no more than "...)
	b = append(strconv.AppendInt(b, int64(iterations), 10), " steps. At the start there are "...)
	b = append(v.appendStart(b, d.start), ". How many are there of each kind at the end?\n"...)
	return string(append(b, v.form...))
}

// mostChange limits the things of a kind that a recipe takes or gives.
const mostChange = 3

var numerals = [mostChange + 1]string{"", "one ", "two ", "three "}

// appendRule appends a recipe: one A → two X and one Y.
func (v *variant) appendRule(b []byte, r *recipe) []byte {
	b = v.appendSide(b, r, -1)
	return v.appendSide(append(b, " → "...), r, 1)
}

// appendSide appends the things that a recipe takes, for sign -1, or gives, for sign 1.
func (v *variant) appendSide(b []byte, r *recipe, sign int8) []byte {
	start := len(b)
	for kind, change := range r {
		n := int(sign * change)
		if n <= 0 {
			continue
		}
		listed := n
		if v.counts {
			listed = 1
		}
		for range listed {
			if len(b) > start {
				b = append(b, v.and...)
			}
			if v.counts {
				b = append(b, numerals[n]...)
			}
			b = append(b, v.kinds[kind]...)
		}
	}
	return b
}

// rules returns the rules of a record, or those of reasoning-gym: its entries leave them
// out.
func (v *variant) rules(given []recipe) []recipe {
	if given == nil {
		return v.recipes
	}
	return given
}

// check reports the fault of a system. If iterations is 0, unknown, it trusts the end.
func (v *variant) check(d system, iterations int) error {
	const mostThings, mostRules = 100_000, 20 // to keep the check fast
	if len(d.end) != len(v.kinds) {
		return fmt.Errorf("solution has %d numbers, want %d", len(d.end), len(v.kinds))
	}
	var have stock
	for i, n := range d.start {
		if n < 0 || n > mostThings {
			return fmt.Errorf("there are %d of one kind at the start, want 0 to %d", n, mostThings)
		}
		have[i] = n
	}
	if len(d.rules) > mostRules {
		return fmt.Errorf("there are %d rules, want at most %d", len(d.rules), mostRules)
	}
	for i, r := range d.rules {
		if slices.Max(r[:]) > mostChange || slices.Min(r[:]) < -mostChange || !v.fits(&r) {
			return fmt.Errorf("rule %d takes or gives too much", i+1)
		}
	}
	if iterations == 0 {
		return nil
	}
	if left, _ := applyRecipes(have, v.rules(d.rules), iterations); !slices.Equal(d.end, left[:len(v.kinds)]) {
		return fmt.Errorf("solution is %s, want %s", countsText(d.end), countsText(left[:len(v.kinds)]))
	}
	return nil
}

// appendStart appends "4 A, 2 B and 5 C".
func (v *variant) appendStart(b []byte, start [3]int) []byte {
	for i, n := range start {
		b = append(b, []string{"", ", ", " and "}[i]...)
		b = append(strconv.AppendInt(b, int64(n), 10), ' ')
		b = append(b, v.kinds[i]...)
	}
	return b
}

// short writes a problem in a few characters: the rules, the start, and the limit of steps,
// if known.
func (v *variant) short(d system, iterations int) string {
	var b []byte
	for _, r := range v.rules(d.rules) {
		b = append(v.appendRule(b, &r), "; "...)
	}
	b = v.appendStart(b, d.start)
	if iterations > 0 {
		b = fmt.Appendf(b, ", up to %d steps", iterations)
	}
	return string(b)
}

// canonical writes a problem without the names of its kinds: those at the start may be exchanged
// with each other, and so may the others.
func (v *variant) canonical(d system, iterations int) string {
	rules := v.rules(d.rules)
	return task.Relabeled(len(v.kinds), func(labels []int) string {
		b := make([]byte, 0, 256)
		kinds := make([]string, len(v.kinds))
		for kind, label := range labels {
			start := -1
			if kind < len(d.start) {
				start = d.start[kind]
			}
			kinds[kind] = string(strconv.AppendInt([]byte{'a' + byte(label), ' '}, int64(start), 10))
		}
		slices.Sort(kinds)
		for _, kind := range kinds {
			b = append(append(b, kind...), ';')
		}
		amounts := make([][2]byte, 0, mostKinds)
		for _, r := range rules {
			amounts = amounts[:0]
			for kind, label := range labels {
				if change := r[kind]; change != 0 {
					amounts = append(amounts, [2]byte{'a' + byte(label), byte('0' + mostChange + change)})
				}
			}
			slices.SortFunc(amounts, func(a, b [2]byte) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
			for _, amount := range amounts {
				b = append(b, amount[:]...)
			}
			b = append(b, '.')
		}
		return string(strconv.AppendInt(b, int64(iterations), 10))
	})
}
