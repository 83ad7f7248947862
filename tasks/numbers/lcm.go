package numbers

import (
	"encoding/json"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// lcm asks for the least common multiple of several numbers.
var lcm = task.Spec[gcdParams, lcmItem]{
	Name: "lcm", Category: "arithmetic", Version: 5,
	Doc: "Find the least common multiple. " +
		"Most of the numbers share divisors, since the least common multiple of random numbers is mostly their product; the answer is never one of them.",
	Source:  "Euclid's Elements, book VII; the settings are those of reasoning-gym.",
	Default: gcdParams{2, 2, 1, 100},
	Levels: []gcdParams{
		{2, 2, 3, 24},
		{2, 2, 5, 60},
		{2, 3, 20, 400},
		{2, 4, 50, 1000},
		{3, 5, 500, 10_000},
		{3, 6, 5000, 1_000_000},
	},
	Few: []string{
		"There are few pairs of numbers up to 24.",
		"There are few pairs of numbers up to 60.",
		"There are few pairs of numbers up to 400 with a large common divisor.",
	},
	Make: func(p gcdParams, r *rng.Rand) (lcmItem, error) {
		numbers := p.draw(r)
		return lcmItem{numbers, json.Number(multiple(numbers)), r.Between(0, 5)}, nil
	},
	Ask: []string{
		"Find the least common multiple of {numbers:and}.",
		"What is the smallest whole number above 0 that is a multiple of each of {numbers:and}?",
		"What is the LCM of {numbers:and}?",
		"Lights flash at intervals, in seconds, of {numbers:and}. They have just flashed together. After how many seconds will they do so again?",
		"Of all positive numbers that every one of {numbers:and} divides, which is the least?",
		"A function returns the least common multiple of its arguments. They are {numbers:and}. What does it return?",
	},
	Form:  " Answer with one whole number.",
	Short: "lcm of {numbers:and}",
	Match: task.MatchNumber,
}

// lcmItem is one list of numbers.
type lcmItem struct {
	Numbers  []int64     `json:"numbers" want:"1 to 100" each:"1 or more"`
	Result   json.Number `json:"result" want:"the answer"` // may exceed 64 bits
	Phrasing int         `json:"phrasing,omitempty"`
}

func (l lcmItem) Solve() string { return multiple(l.Numbers) }

// Canonical leaves out the order of the numbers, and a power of ten of all.
func (l lcmItem) Canonical() string { return commuted(l.Numbers) }

// multiple returns the least common multiple of positive numbers.
func multiple(numbers []int64) string {
	m := int64(1)
	for i, n := range numbers {
		high, low := bits.Mul64(uint64(m), uint64(n/divisor([]int64{m, n})))
		if high > 0 || low > math.MaxInt64 {
			return largeMultiple(m, numbers[i:])
		}
		m = int64(low)
	}
	return strconv.FormatInt(m, 10)
}

// largeMultiple returns the least common multiple of m and numbers.
func largeMultiple(m int64, numbers []int64) string {
	product, rest := big.NewInt(m), new(big.Int)
	for _, n := range numbers {
		factor := big.NewInt(n)
		common := divisor([]int64{rest.Mod(product, factor).Int64(), n})
		product.Mul(product, factor.SetInt64(n/common))
	}
	return product.String()
}
