package numbers

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// primeFactorization asks for the prime factors of a number.
var primeFactorization = task.Spec[primeFactorizationParams, primeFactorizationItem]{
	Name:     "prime_factorization",
	Category: "arithmetic",
	Doc: "Find the prime factors of a whole number. " +
		"One number in 64 is prime, so that repeating the number is a poor answer. " +
		"Factors with the right product, not all prime, earn up to a half: the more factors, the more.",
	Source:  "Euclid's Elements, VII and IX; the settings are those of reasoning-gym.",
	Version: 4,
	List:    " × ",
	Default: primeFactorizationParams{MinValue: 2, MaxValue: 1000},
	Levels: []primeFactorizationParams{
		{MinValue: 4, MaxValue: 1500},
		{MinValue: 200, MaxValue: 20_000},
		{MinValue: 2000, MaxValue: 90_000},
		{MinValue: 20_000, MaxValue: 500_000},
		{MinValue: 100_000, MaxValue: 10_000_000},
		{MinValue: 10_000_000, MaxValue: 10_000_000_000},
	},
	Few: []string{
		"There are 1,497 numbers from 4 to 1,500.",
		"There are 19,801 numbers from 200 to 20,000.",
	},
	Make: makePrimeFactorization,
	Ask: []string{
		"Find the prime factors of {number}.",
		"Write {number} as a product of primes.",
		"Into which primes does {number} factor?",
		"A number is the product of primes in exactly one way. What is that product for the number {number}?",
		"Divide the number {number} by primes until 1 is left. By which primes, each as often as it is used?",
		"Take the whole number {number} apart into factors that cannot be taken apart any further.",
	},
	Form:  " Answer with all the prime factors, each as often as it occurs, with × between them, for example 2 × 2 × 3 for the number twelve.",
	Short: "factor {number}",
}

// primeFactorizationParams are the settings of one difficulty.
type primeFactorizationParams struct {
	MinValue int64 `json:"min_value" want:"2 or more"`                  // of the number
	MaxValue int64 `json:"max_value" want:"min_value to 1000000000000"` // trial division takes up to its square root
}

// primeFactorizationItem is one number.
type primeFactorizationItem struct {
	Number   int64   `json:"number" want:"2 or more"` // 2 or more
	Factors  []int64 `json:"factors"`                 // primes in rising order, as often as they divide Number
	Phrasing int     `json:"phrasing,omitempty"`
}

// makePrimeFactorization draws a number. Most are composite; if the range has few or none
// of the wanted kind, the other kind may come.
func makePrimeFactorization(p primeFactorizationParams, r *rng.Rand) (primeFactorizationItem, error) {
	const draws, primes = 32, 1. / 64
	item := primeFactorizationItem{Phrasing: r.Between(0, 5)}
	wantPrime, factors := r.Chance(primes), make([]int64, 0, 8)
	for range draws {
		item.Number = r.Between64(p.MinValue, p.MaxValue)
		if wantPrime && !isPrime(item.Number) {
			continue
		}
		item.Factors = appendFactors(factors, item.Number)
		if wantPrime == (len(item.Factors) == 1) {
			return item, nil
		}
	}
	item.Factors = appendFactors(factors, item.Number)
	return item, nil
}

// isPrime is exact for every number below 2^63: the test of Baillie, Pomerance, Selfridge
// and Wagstaff has no errors below 2^64.
func isPrime(n int64) bool {
	const tried = 1000 // trial division is faster for smaller numbers
	for d := int64(2); d < tried && d*d <= n; d += 1 + d&1 {
		if n%d == 0 {
			return false
		}
	}
	return n > 1 && (n < tried*tried || big.NewInt(n).ProbablyPrime(0))
}

// appendFactors appends the prime factors of n, 2 to maxFactored, in rising order. It
// divides by 2, 3, and all numbers that neither divides.
func appendFactors(factors []int64, n int64) []int64 {
	rest := uint64(n)
	for d, step := uint64(2), uint64(0); d*d <= rest; d += step {
		for rest%d == 0 {
			factors = append(factors, int64(d))
			rest /= d
		}
		switch {
		case d < 5:
			step = d - 1 // on to 3, then to 5
		case step == 2 && d > 5:
			step = 4
		default:
			step = 2
		}
	}
	if rest > 1 {
		factors = append(factors, int64(rest))
	}
	return factors
}

// Canonical implements [task.Canonicalizer]. Ten times the number adds 2 and 5 to the factors.
func (p primeFactorizationItem) Canonical() string {
	return task.Commuted(strconv.FormatInt(p.Number, 10), nil)
}

// Check refuses a record with wrong factors.
func (p primeFactorizationItem) Check() error {
	product := int64(1)
	for _, factor := range p.Factors {
		if !isPrime(factor) || product > p.Number/factor {
			return fmt.Errorf("factors are %v, want the prime factors of %d", p.Factors, p.Number)
		}
		product *= factor
	}
	if product != p.Number || !slices.IsSorted(p.Factors) {
		return fmt.Errorf("factors are %v, want the prime factors of %d, in rising order", p.Factors, p.Number)
	}
	return nil
}

func (p primeFactorizationItem) Solve() string {
	b := make([]byte, 0, 64)
	for i, factor := range p.Factors {
		if i > 0 {
			b = append(b, " × "...)
		}
		b = strconv.AppendInt(b, factor, 10)
	}
	return string(b)
}

// Score implements [task.Scorer]. The order of the factors does not matter.
func (p primeFactorizationItem) Score(text string) quintain.Verdict {
	factors, reason := readFactors(text)
	if reason != "" {
		return quintain.Malformed(reason)
	}
	product, proper, all := int64(1), 0, len(p.Factors)
	for _, factor := range factors {
		if factor < 1 || product > p.Number/factor {
			return quintain.Wrong("the product is not " + strconv.FormatInt(p.Number, 10))
		}
		if product *= factor; factor > 1 {
			proper++
		}
	}
	switch {
	case product != p.Number:
		return quintain.Wrong("the product is not " + strconv.FormatInt(p.Number, 10))
	case proper == all && len(factors) == all:
		return quintain.Right() // that many factors can only be the primes
	case proper > 1:
		return quintain.Partial(0.5*float64(proper-1)/float64(all-1), "want "+p.Solve())
	}
	return quintain.Wrong("want " + p.Solve())
}

// timesSigns replaces the other spellings of × and ^.
var timesSigns = strings.NewReplacer("**", "^", "*", "×", "·", "×", `\times`, "×", `\cdot`, "×")

// readFactors reads whole numbers separated by ×; some × may be missing. Powers may be
// written as 2^3. reason says why there are none.
func readFactors(text string) (factors []int64, reason string) {
	const most = 256 // more than the factors of any 64-bit number, with room for ones
	text = timesSigns.Replace(text)
	if strings.Count(text, "×") > most {
		return nil, "there are too many factors"
	}
	for part := range strings.SplitSeq(text, "×") {
		if part = answer.Trim(part); part == "" {
			continue
		}
		base, power, isPower := strings.Cut(part, "^")
		factor, ok := answer.ReadInt(answer.Ungrouped(answer.Trim(base)))
		times, whole := int64(1), true
		if isPower {
			times, whole = answer.ReadInt(strings.Trim(power, " {}"))
		}
		if !ok || !whole || times < 1 || times > most {
			return nil, fmt.Sprintf("%.40q is not a factor", part)
		}
		for range times {
			factors = append(factors, factor)
		}
	}
	if len(factors) == 0 {
		return nil, "there are no factors"
	}
	return factors, ""
}
