package numbers

import (
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// gcd asks for the greatest common divisor of several numbers.
var gcd = task.Spec[gcdParams, gcdItem]{
	Name: "gcd", Category: "arithmetic", Version: 4,
	Doc: "Find the greatest common divisor. " +
		"The numbers are multiples of a number drawn first, since most random numbers have no common divisor but 1; the answer is never one of them.",
	Source:  "Euclid's Elements, book VII; the settings are those of reasoning-gym.",
	Default: gcdParams{2, 2, 1, 1000},
	Levels: []gcdParams{
		{2, 2, 2, 30},
		{2, 2, 10, 200},
		{2, 3, 100, 2000},
		{2, 4, 1000, 100_000},
		{3, 5, 1_000_000, 100_000_000},
		{3, 6, 1_000_000_000, 1_000_000_000_000},
	},
	Few: []string{"There are few pairs of small numbers with a common divisor."},
	Make: func(p gcdParams, r *rng.Rand) (gcdItem, error) {
		numbers := p.draw(r)
		return gcdItem{numbers, divisor(numbers), len(numbers), r.Between(0, 5)}, nil
	},
	Ask: []string{
		"Find the greatest common divisor of {numbers:and}.",
		"What is the largest whole number that divides each of {numbers:and} without a remainder?",
		"What is the GCD of {numbers:and}?",
		"Ropes have these lengths: {numbers:and}. All are to be cut into pieces of one length, as long as possible, with nothing left over. How long is a piece?",
		"Of all numbers that are divisors of every one of {numbers:and}, which is the greatest?",
		"A function returns the greatest common divisor of its arguments. They are {numbers:and}. What does it return?",
	},
	Form:  " Answer with one whole number.",
	Short: "gcd of {numbers:and}",
	Match: task.MatchNumber,
}

// gcdItem is one list of numbers.
type gcdItem struct {
	Numbers  []int64 `json:"numbers" want:"1 to 100" each:"1 or more"`
	Result   int64   `json:"result" want:"the answer"`
	NumTerms int     `json:"num_terms"`
	Phrasing int     `json:"phrasing,omitempty"`
}

func (g gcdItem) Solve() string { return strconv.FormatInt(divisor(g.Numbers), 10) }

// Canonical leaves out the order of the numbers, and a power of ten of all.
func (g gcdItem) Canonical() string { return commuted(g.Numbers) }
