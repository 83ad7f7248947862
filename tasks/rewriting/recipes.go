package rewriting

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/task"
)

// Kinds of things, at most, in a set of recipes.
const mostKinds = 9

// A stock is how many things there are of each kind.
type stock [mostKinds]int

// A recipe turns some things into others: it takes what is negative, and gives what
// is positive.
type recipe [mostKinds]int8

// cook applies, again and again, the first of the recipes for which there is
// enough, until no recipe can be applied or most steps are made. It returns the steps.
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

// A kitchen is what string_splitting and string_synthesis differ in.
type kitchen struct {
	settings string // the name of what there is at the start, in the settings
	kinds    int    // of things
	recipes  []recipe
	first    [3]string // names of the kinds that there are at the start
	enough   [3]bool   // of which there is as much as can be if no recipe could be applied
	rules    string    // the recipes in words, and when one applies
	form     string    // of the answer
}

// check refuses settings that make no sense.
func (k *kitchen) check(least, most, iterations int) error {
	switch {
	case least < 0:
		return fmt.Errorf("min_%s is %d, want 0 or more", k.settings, least)
	case most < max(1, least) || most > 10_000:
		return fmt.Errorf("max_%s is %d, want min_%s (%d) to 10000, and not 0", k.settings, most, k.settings, least)
	case iterations < 1 || iterations > 100_000:
		return fmt.Errorf("max_iterations is %d, want 1 to 100000", iterations)
	}
	return nil
}

// draw draws what there is at the start, least to most of each of the first kinds, and
// finds out what is left.
func (k *kitchen) draw(least, most, iterations int, r *rng.Rand) (start [3]int, end []int) {
	var have stock
	for kind := range start {
		have[kind] = r.Between(least, most)
	}
	left, steps := cook(have, k.recipes, iterations)
	if steps == 0 {
		for kind, enough := range k.enough {
			if enough {
				have[kind] = most
			}
		}
		left, _ = cook(have, k.recipes, iterations)
	}
	return [3]int(have[:3]), left[:k.kinds]
}

// prompt is the question, that begins with a wording of its own.
func (k *kitchen) prompt(wording string, start [3]int, iterations int) string {
	b := make([]byte, 0, task.PromptRoom)
	b = append(append(append(b, wording...), "\n\n"...), k.rules...)
	b = append(b, " This goes on until no rule can be applied, but for no more than "...)
	b = append(strconv.AppendInt(b, int64(iterations), 10), " steps. At the start there are "...)
	b = append(appendCounted(b, start, k.first), ". How many are there of each kind at the end?\n"...)
	return string(append(b, k.form...))
}

// checkEnd reports what is wrong with end. It is believed if the most iterations are
// not known, which is 0.
func (k *kitchen) checkEnd(start [3]int, end []int, iterations int) error {
	const most = 100_000 // of things, so that checking is quick
	if len(end) != k.kinds {
		return fmt.Errorf("solution has %d numbers, want %d", len(end), k.kinds)
	}
	var have stock
	for i, n := range start {
		if n < 0 || n > most {
			return fmt.Errorf("there are %d of one kind at the start, want 0 to %d", n, most)
		}
		have[i] = n
	}
	if iterations == 0 {
		return nil
	}
	if left, _ := cook(have, k.recipes, iterations); !slices.Equal(end, left[:k.kinds]) {
		return fmt.Errorf("solution is %s, want %s", countsText(end), countsText(left[:k.kinds]))
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

// short writes the start of a problem, and how many steps there may be if that is
// known, in a few characters.
func (k *kitchen) short(start [3]int, iterations int) string {
	text := strings.ReplaceAll(string(appendCounted(nil, start, k.first)), " and", ",")
	if iterations > 0 {
		text += ", up to " + strconv.Itoa(iterations) + " steps"
	}
	return text
}
