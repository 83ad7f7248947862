package numbers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// fractionSimplification asks for a fraction in lowest terms.
var fractionSimplification = task.Spec[fractionSimplificationParams, fractionSimplificationItem]{
	Name:     "fraction_simplification",
	Category: "arithmetic",
	Doc: "Reduce a fraction to its lowest terms. " +
		"Every fraction can be reduced, so that repeating it is never right.",
	Source:  "Euclid's Elements, book VII; the settings are those of reasoning-gym.",
	Version: 3,
	Default: fractionSimplificationParams{MinValue: 1, MaxValue: 1000, MinFactor: 1, MaxFactor: 100, Styles: []string{"plain", "latex_inline", "latex_frac", "latex_dfrac"}},
	Levels: []fractionSimplificationParams{
		{1, 30, 2, 12, []string{"plain"}},
		{1, 40, 2, 20, []string{"plain", "latex_frac"}},
		{2, 100, 2, 50, []string{"plain", "latex_inline", "latex_frac", "latex_dfrac"}},
		{10, 1000, 10, 100, []string{"plain", "latex_inline", "latex_frac", "latex_dfrac"}},
		{100, 10_000, 50, 1000, []string{"latex_inline", "latex_frac", "latex_dfrac"}},
		{1000, 1_000_000, 1000, 100_000, []string{"latex_inline", "latex_frac", "latex_dfrac"}},
	},
	Few: []string{
		"There are few fractions of numbers up to 30, and eleven factors.",
		"There are few fractions of numbers up to 40, and nineteen factors.",
	},
	Make: makeFractionSimplification,
}

// fractionStyles are the ways to write a fraction: before the numerator, between
// the two numbers, and after the denominator.
var fractionStyles = map[string][3]string{
	"plain":        {"", "/", ""},
	"latex_inline": {"$", "/", "$"},
	"latex_frac":   {`$\frac{`, "}{", "}$"},
	"latex_dfrac":  {`$\dfrac{`, "}{", "}$"},
}

// fractionSimplificationParams are the settings of one difficulty.
type fractionSimplificationParams struct {
	MinValue  int64    `json:"min_value" want:"1 or more"` // of numerator and denominator in lowest terms
	MaxValue  int64    `json:"max_value" want:"more than min_value and at most 1000000000"`
	MinFactor int64    `json:"min_factor" want:"1 or more"` // multiplies both; 1 does not occur
	MaxFactor int64    `json:"max_factor" want:"min_factor to 1000000000 and at least 2: every fraction must be reducible"`
	Styles    []string `json:"styles" want:"1 or more" oneof:"plain latex_inline latex_frac latex_dfrac"` // plain, latex_inline, latex_frac, latex_dfrac
}

// fractionSimplificationItem is one fraction.
type fractionSimplificationItem struct {
	Numerator             int64  `json:"numerator" want:"1 or more"`
	Denominator           int64  `json:"denominator" want:"1 or more"`
	SimplifiedNumerator   int64  `json:"simplified_numerator"`
	SimplifiedDenominator int64  `json:"simplified_denominator"`
	ReductionFactor       int64  `json:"reduction_factor"` // the greatest common divisor of both
	Style                 string `json:"style" oneof:"plain latex_inline latex_frac latex_dfrac"`
	Factor                int64  `json:"factor"` // ReductionFactor again, for reasoning-gym
	Phrasing              int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeFractionSimplification draws a fraction below 1 in lowest terms, and a factor.
func makeFractionSimplification(p fractionSimplificationParams, r *rng.Rand) (fractionSimplificationItem, error) {
	const tries = 20 // three of five pairs are coprime
	under := r.Between64(p.MinValue+1, p.MaxValue)
	over := r.Between64(p.MinValue, under-1)
	for range tries {
		if divisor([]int64{over, under}) == 1 {
			break
		}
		over = r.Between64(p.MinValue, under-1)
	}
	if divisor([]int64{over, under}) > 1 {
		over = under - 1 // neighbours are coprime
	}
	factor := r.Between64(max(p.MinFactor, 2), p.MaxFactor)
	return fractionSimplificationItem{
		Numerator: over * factor, Denominator: under * factor,
		SimplifiedNumerator: over, SimplifiedDenominator: under,
		ReductionFactor: factor, Factor: factor,
		Style:    rng.Pick(r, p.Styles),
		Phrasing: r.Between(0, len(fractionSimplificationPhrasings)-1),
	}, nil
}

// fractionSimplificationPhrasings are the wordings of the question, before and
// after the fraction.
var fractionSimplificationPhrasings = [][2]string{
	{"Reduce ", " to its lowest terms."},
	{"Write the fraction ", " in lowest terms."},
	{"What is ", " when it is fully simplified?"},
	{"Cancel all common factors in ", "."},
	{"Which fraction with the smallest possible whole numbers equals ", "?"},
	{"A quotient is given as ", ". Divide both numbers by all that they have in common. What is the result?"},
}

// write appends a fraction in the style of f.
func (f fractionSimplificationItem) write(text []byte, over, under int64) []byte {
	style := fractionStyles[f.Style]
	text = strconv.AppendInt(append(text, style[0]...), over, 10)
	text = strconv.AppendInt(append(text, style[1]...), under, 10)
	return append(text, style[2]...)
}

func (f fractionSimplificationItem) Prompt() string {
	var room [256]byte
	words := fractionSimplificationPhrasings[f.Phrasing]
	text := f.write(append(room[:0], words[0]...), f.Numerator, f.Denominator)
	text = append(append(text, words[1]...), " Answer with the fraction alone, written in the same way, for example "...)
	return string(append(f.write(text, 5, 7), " for five sevenths."...))
}

func (f fractionSimplificationItem) Short() string {
	return string(f.write([]byte("reduce "), f.Numerator, f.Denominator))
}

// Canonical implements [task.Canonicalizer]. The notation of the fraction does not matter, nor whether it is
// taken from 1 or turned upside down, nor a power of ten.
func (f fractionSimplificationItem) Canonical() string {
	over, under := min(f.Numerator, f.Denominator), max(f.Numerator, f.Denominator)
	return task.Commuted(fmt.Sprintf("%d+whole*%d", min(over, under-over), under), nil)
}

// Check refuses a record unless its two fractions are equal and the second is in lowest
// terms.
func (f fractionSimplificationItem) Check() error {
	over, under := f.Numerator, f.Denominator
	if d := divisor([]int64{over, under}); f.SimplifiedNumerator != over/d || f.SimplifiedDenominator != under/d {
		return fmt.Errorf("simplified_numerator and simplified_denominator are %d and %d, want %d and %d", f.SimplifiedNumerator, f.SimplifiedDenominator, over/d, under/d)
	}
	return nil
}

func (f fractionSimplificationItem) Solve() string {
	var room [64]byte
	return string(f.write(room[:0], f.SimplifiedNumerator, f.SimplifiedDenominator))
}

func (f fractionSimplificationItem) Score(text string) quintain.Verdict {
	over, under, ok := readFraction(text)
	switch {
	case !ok:
		return quintain.Malformed("the answer is not a fraction")
	case over == f.SimplifiedNumerator && under == f.SimplifiedDenominator:
		return quintain.Right()
	}
	return quintain.Wrong("want " + f.Solve())
}

// readFraction reads a fraction in any style. A full stop may follow a LaTeX fraction.
func readFraction(text string) (over, under int64, ok bool) {
	text = answer.Trim(strings.Trim(answer.Trim(text), "$"))
	for _, name := range []string{`\frac`, `\dfrac`} {
		if len(text) > len(name) && strings.EqualFold(text[:len(name)], name) {
			over, rest, ok := cutBraces(text[len(name):])
			if !ok {
				return 0, 0, false
			}
			under, rest, ok := cutBraces(rest)
			rest = strings.TrimSuffix(answer.TrimRight(rest), ".")
			return over, under, ok && answer.Trim(strings.Trim(rest, "$")) == ""
		}
	}
	before, after, _ := strings.Cut(text, "/")
	over, ok = answer.ReadInt(before)
	if !ok {
		return 0, 0, false
	}
	under, ok = answer.ReadInt(after)
	return over, under, ok
}

// cutBraces reads a number in braces at the beginning of text.
func cutBraces(text string) (n int64, rest string, ok bool) {
	inside, rest, found := strings.Cut(strings.TrimLeftFunc(text, answer.Space), "}")
	if !found || !strings.HasPrefix(inside, "{") || strings.ContainsAny(inside, "+-_") {
		return 0, "", false
	}
	n, ok = answer.ReadInt(inside[1:])
	return n, rest, ok
}
