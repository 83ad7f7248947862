package numbers

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// gcd asks for the greatest common divisor of several numbers.
var gcd = task.Spec[gcdParams, gcdItem]{
	Name:     "gcd",
	Category: "arithmetic",
	Doc: "Find the greatest common divisor. " +
		"The numbers are multiples of a number drawn first, since most random numbers have no common divisor but 1; the answer is never one of them.",
	Source:  "Euclid's Elements, book VII; the settings are those of reasoning-gym.",
	Version: 4,
	Default: gcdParams{MinNumbers: 2, MaxNumbers: 2, MinValue: 1, MaxValue: 1000},
	Levels: []gcdParams{
		{MinNumbers: 2, MaxNumbers: 2, MinValue: 2, MaxValue: 30},
		{MinNumbers: 2, MaxNumbers: 2, MinValue: 10, MaxValue: 200},
		{MinNumbers: 2, MaxNumbers: 3, MinValue: 100, MaxValue: 2000},
		{MinNumbers: 2, MaxNumbers: 4, MinValue: 1000, MaxValue: 100_000},
		{MinNumbers: 3, MaxNumbers: 5, MinValue: 1_000_000, MaxValue: 100_000_000},
		{MinNumbers: 3, MaxNumbers: 6, MinValue: 1_000_000_000, MaxValue: 1_000_000_000_000},
	},
	Few:  []string{"There are few pairs of small numbers with a common divisor."},
	Make: makeGCD,
}

// gcdParams are the settings of one difficulty.
type gcdParams struct {
	MinNumbers int   `json:"min_numbers" want:"2 or more"` // count of numbers
	MaxNumbers int   `json:"max_numbers" want:"min_numbers to 100"`
	MinValue   int64 `json:"min_value" want:"1 or more"` // of every number
	MaxValue   int64 `json:"max_value" want:"more than min_value"`
}

// gcdItem is one list of numbers.
type gcdItem struct {
	Numbers  []int64 `json:"numbers" want:"1 to 100" each:"1 or more"`
	Result   int64   `json:"result"`
	NumTerms int     `json:"num_terms"`
	Phrasing int     `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeGCD draws the numbers.
func makeGCD(p gcdParams, r *rng.Rand) (gcdItem, error) {
	numbers := drawMultiples(r, r.Between(p.MinNumbers, p.MaxNumbers), p.MinValue, p.MaxValue)
	return gcdItem{
		Numbers:  numbers,
		Result:   divisor(numbers),
		NumTerms: len(numbers),
		Phrasing: r.Between(0, len(gcdPhrasings)-1),
	}, nil
}

// gcdPhrasings are the wordings of the question, before and after the numbers.
var gcdPhrasings = [][2]string{
	{"Find the greatest common divisor of ", "."},
	{"What is the largest whole number that divides each of ", " without a remainder?"},
	{"What is the GCD of ", "?"},
	{"Ropes have these lengths: ", ". All are to be cut into pieces of one length, as long as possible, with nothing left over. How long is a piece?"},
	{"Of all numbers that are divisors of every one of ", ", which is the greatest?"},
	{"A function returns the greatest common divisor of its arguments. They are ", ". What does it return?"},
}

// Prompt implements [task.Instance].
func (g gcdItem) Prompt() string {
	var room [256]byte
	words := gcdPhrasings[g.Phrasing]
	text := appendList(append(room[:0], words[0]...), g.Numbers)
	text = append(text, words[1]...)
	return string(append(text, " Answer with one whole number."...))
}

// Short implements [task.Shortener].
func (g gcdItem) Short() string { return "gcd of " + string(appendList(nil, g.Numbers)) }

// Canonical implements [task.Canonicalizer]. The order of the numbers does not matter, nor a power of
// ten of all.
func (g gcdItem) Canonical() string {
	return task.Commuted(strings.Trim(strings.ReplaceAll(fmt.Sprint(g.Numbers), " ", "+"), "[]"), nil)
}

// Check refuses a record with a wrong result.
func (g gcdItem) Check() error {
	return task.Want("result", g.Result, divisor(g.Numbers))
}

// Solve implements [task.Instance].
func (g gcdItem) Solve() string { return strconv.FormatInt(g.Result, 10) }

// Score implements [task.Instance].
func (g gcdItem) Score(answer string) quintain.Verdict { return task.MatchNumber(answer, g.Solve()) }
