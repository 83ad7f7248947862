package algorithmic

import (
	"fmt"
	"strconv"
	"strings"
)

// Kinds of things, at most, in a set of recipes.
const mostKinds = 9

// A stock is how many things there are of each kind.
type stock [mostKinds]int

// A recipe turns some things into others: it takes what is negative, and gives what
// is positive.
type recipe [mostKinds]int8

// cook applies, again and again, the first of the recipes for which there is
// enough, until there is none or it has done so most times. It reports how often.
func cook(have stock, recipes []recipe, most int) (end stock, steps int) {
	for ; steps < most; steps++ {
		next, found := firstRecipe(have, recipes)
		if !found {
			break
		}
		for kind, change := range recipes[next] {
			have[kind] += int(change)
		}
	}
	return have, steps
}

// firstRecipe finds the first recipe for which there is enough.
func firstRecipe(have stock, recipes []recipe) (i int, found bool) {
	for i := range recipes {
		if have.enough(&recipes[i]) {
			return i, true
		}
	}
	return 0, false
}

// enough reports whether have holds what r takes.
func (c *stock) enough(r *recipe) bool {
	for kind, change := range r {
		if c[kind]+int(change) < 0 {
			return false
		}
	}
	return true
}

// countsText writes numbers with a space between them.
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

// A cooked is what the records of string_splitting and string_synthesis have to
// say of themselves.
type cooked struct {
	start         [3]int
	end           []int
	kinds         int
	recipes       []recipe
	maxIterations int // 0: not known, and end is believed
}

// check reports what is wrong with end.
func (c cooked) check() error {
	const most = 100_000 // of things, so that checking is quick
	if len(c.end) != c.kinds {
		return fmt.Errorf("solution has %d numbers, want %d", len(c.end), c.kinds)
	}
	var have stock
	for i, n := range c.start {
		if n < 0 || n > most {
			return fmt.Errorf("there are %d of one kind at the start, want 0 to %d", n, most)
		}
		have[i] = n
	}
	if c.maxIterations == 0 {
		return nil
	}
	end, _ := cook(have, c.recipes, c.maxIterations)
	if want := countsText(end[:c.kinds]); countsText(c.end) != want {
		return fmt.Errorf("solution is %s, want %s", countsText(c.end), want)
	}
	return nil
}

// appendCounted appends "4 A, 2 B and 5 C".
func appendCounted(b []byte, start [3]int, names [3]string) []byte {
	for i, n := range start {
		b = append(b, []string{"", ", ", " and "}[i]...)
		b = append(strconv.AppendInt(b, int64(n), 10), ' ')
		b = append(b, names[i]...)
	}
	return b
}

// shortCounts writes the start of a problem in a few characters.
func shortCounts(start [3]int, names [3]string) string {
	return strings.ReplaceAll(string(appendCounted(nil, start, names)), " and", ",")
}
