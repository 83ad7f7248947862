package numbers

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// lcm asks for the least common multiple of several numbers.
var lcm = task.Spec[gcdParams, lcmItem]{
	Name:     "lcm",
	Category: "arithmetic",
	Doc: "Find the least common multiple. " +
		"Most of the numbers share divisors, since the least common multiple of random numbers is mostly their product; the answer is never one of them.",
	Source:  "Euclid's Elements, book VII; the settings are those of reasoning-gym.",
	Version: 5,
	Default: gcdParams{MinNumbers: 2, MaxNumbers: 2, MinValue: 1, MaxValue: 100},
	Levels: []gcdParams{
		{MinNumbers: 2, MaxNumbers: 2, MinValue: 3, MaxValue: 24},
		{MinNumbers: 2, MaxNumbers: 2, MinValue: 5, MaxValue: 60},
		{MinNumbers: 2, MaxNumbers: 3, MinValue: 20, MaxValue: 400},
		{MinNumbers: 2, MaxNumbers: 4, MinValue: 50, MaxValue: 1000},
		{MinNumbers: 3, MaxNumbers: 5, MinValue: 500, MaxValue: 10_000},
		{MinNumbers: 3, MaxNumbers: 6, MinValue: 5000, MaxValue: 1_000_000},
	},
	Few: []string{
		"There are few pairs of numbers up to 24.",
		"There are few pairs of numbers up to 60.",
		"There are few pairs of numbers up to 400 with a large common divisor.",
	},
	Make: makeLCM,
}

// lcmItem is one list of numbers.
type lcmItem struct {
	Numbers  []int64     `json:"numbers" want:"1 to 100" each:"1 or more"`
	Result   json.Number `json:"result"` // may exceed 64 bits
	Phrasing int         `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeLCM draws the numbers.
func makeLCM(p gcdParams, r *rng.Rand) (lcmItem, error) {
	numbers := drawMultiples(r, r.Between(p.MinNumbers, p.MaxNumbers), p.MinValue, p.MaxValue)
	return lcmItem{
		Numbers:  numbers,
		Result:   json.Number(multiple(numbers)),
		Phrasing: r.Between(0, len(lcmPhrasings)-1),
	}, nil
}

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

// lcmPhrasings are the wordings of the question, before and after the numbers.
var lcmPhrasings = [][2]string{
	{"Find the least common multiple of ", "."},
	{"What is the smallest whole number above 0 that is a multiple of each of ", "?"},
	{"What is the LCM of ", "?"},
	{"Lights flash at intervals, in seconds, of ", ". They have just flashed together. After how many seconds will they do so again?"},
	{"Of all positive numbers that every one of ", " divides, which is the least?"},
	{"A function returns the least common multiple of its arguments. They are ", ". What does it return?"},
}

// Prompt implements [task.Instance].
func (l lcmItem) Prompt() string {
	var room [256]byte
	words := lcmPhrasings[l.Phrasing]
	text := appendList(append(room[:0], words[0]...), l.Numbers)
	text = append(text, words[1]...)
	return string(append(text, " Answer with one whole number."...))
}

// Short implements [task.Shortener].
func (l lcmItem) Short() string { return "lcm of " + string(appendList(nil, l.Numbers)) }

// Canonical implements [task.Canonicalizer]. The order of the numbers does not matter, nor a power of
// ten of all.
func (l lcmItem) Canonical() string {
	return task.Commuted(strings.Trim(strings.ReplaceAll(fmt.Sprint(l.Numbers), " ", "+"), "[]"), nil)
}

// Check refuses a record with a wrong result.
func (l lcmItem) Check() error {
	return task.Want("result", l.Solve(), multiple(l.Numbers))
}

// Solve implements [task.Instance].
func (l lcmItem) Solve() string { return l.Result.String() }

// Score implements [task.Instance].
func (l lcmItem) Score(answer string) quintain.Verdict { return task.MatchNumber(answer, l.Solve()) }
