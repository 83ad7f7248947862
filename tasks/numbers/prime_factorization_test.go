package numbers

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPrimeFactorizationScore(t *testing.T) {
	item := primeFactorizationItem{Number: 60, Factors: []int64{2, 2, 3, 5}}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"2 × 2 × 3 × 5", 1, ""},
		{"5×3×2×2", 1, "another order, no space"},
		{"\n2 × 2 × 3 × 5 × ", 1, "an empty factor is left out"},
		{"2 × 2 × 15", 1. / 3, "one step is missing"},
		{"4 × 3 × 5", 1. / 3, ""},
		{"4 × 15", 1. / 6, "two steps are"},
		{"60", 0, "the number itself; reasoning-gym pays a half"},
		{"60 × 1", 0, "with an extra one"},
		{"1 × 1 × 1 × 60", 0, "with many"},
		{"1 × 2 × 2 × 3 × 5", 0.5, "one is not a prime"},
		{"-2 × -2 × 3 × 5", 0, "a sign"},
		{"2 × 2 × 3", 0, "a factor is missing"},
		{"2 × 3 × 5", 0, "a factor stands once, not twice"},
		{"2 × 2 × 3 × 7", 0, "another factor"},
		{"2 × 2 × 3 × 5 × 0", 0, "zero"},
		{"99999999999 × 99999999999", 0, "more than a machine word"},
		{"2 x 2 x 3 x 5", 0, "the letter"},
		{"2 * 2 * 3 * 5", 1, "another sign"},
		{"2^2 × 3 × 5", 1, "a power"},
		{"2**2*3*5", 1, ""},
		{`2^{2} \cdot 3 \times 5`, 1, "LaTeX"},
		{"2^3 × 3 × 5", 0, "another power"},
		{"60^1", 0, ""},
		{"2^999999999", 0, ""},
		{"2^-1 × 120", 0, ""},
		{"2^2^1 × 3 × 5", 0, ""},
		{"2 × 2 × 3 × 5.", 0, "a full stop"},
		{" × ", 0, "nothing; reasoning-gym pays 0.01"},
	})
	prime := primeFactorizationItem{Number: 61, Factors: []int64{61}}
	tasktest.Nears(t, prime.Score, []tasktest.Near{{"61", 1, ""}, {"1 × 61", 0, ""}, {"61 × 1", 0, ""}, {"6", 0, ""}})
	for _, good := range []primeFactorizationItem{item, prime} {
		if err := task.Check(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []primeFactorizationItem{
		{},
		{Number: 1},
		{Number: 60, Factors: []int64{2, 2, 15}},
		{Number: 60, Factors: []int64{2, 3, 2, 5}},
		{Number: 60, Factors: []int64{2, 2, 3}},
		{Number: 60, Factors: []int64{2, 2, 3, 5, 7}},
		{Number: 60, Factors: []int64{0, 60}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestPrimeFactorizationParams(t *testing.T) {
	for _, params := range []string{`{"min_value":7,"max_value":7}`, `{"min_value":8,"max_value":8}`, `{"max_value":3}`, `{"min_value":999999999900,"max_value":1000000000000}`} {
		own, err := primeFactorization.Task().With([]byte(params))
		if err != nil {
			t.Fatal(err)
		}
		p, err := own.Problem(quintain.Draw{})
		if err != nil {
			t.Fatal(err)
		}
		if item, ok := p.Instance.Value().(primeFactorizationItem); !ok || task.Check(item) != nil {
			t.Errorf("params %s make %s", params, p.Instance)
		}
	}
}

var factoredRE = regexp.MustCompile(`(?:of|Write|does|the number|the whole number) (\d+)`)

// The second solver reads the prompt, multiplies the factors, and tests each prime by
// Fermat's little theorem.
func TestPrimeFactorizationSecond(t *testing.T) {
	primes := 0
	tasktest.Every(t, primeFactorization.Task(), tasktest.Count(3000, 400), func(_ primeFactorizationItem, prompt, got string) error {
		asked := factoredRE.FindStringSubmatch(prompt)
		if asked == nil {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		product, last := big.NewInt(1), new(big.Int)
		for part := range strings.SplitSeq(got, " × ") {
			n, ok := new(big.Int).SetString(part, 10)
			if !ok || n.Cmp(last) < 0 || !fermat(n) {
				return fmt.Errorf("solution %s: %s is not a prime, or in the wrong place", got, part)
			}
			product.Mul(product, n)
			last = n
		}
		if product.String() != asked[1] {
			return fmt.Errorf("solution %s, want the factors of %s", got, asked[1])
		}
		if got == asked[1] {
			primes++
		}
		return nil
	})
	if tasktest.Heavy && (primes < 20 || primes > 80) { // one in 64 is 47
		t.Errorf("%d primes in 3000 problems", primes)
	}
}

// fermat reports whether a^n and a are equal modulo n for many a, and n has no divisor
// below 1000 but itself. Among composite numbers, only a few of Carmichael's pass.
func fermat(n *big.Int) bool {
	for d := int64(2); d < 1000; d++ {
		if small := big.NewInt(d); n.Cmp(small) > 0 && new(big.Int).Rem(n, small).Sign() == 0 {
			return false
		}
	}
	for a := int64(2); a < 30; a++ {
		base := big.NewInt(a)
		if new(big.Int).Exp(base, n, n).Cmp(new(big.Int).Rem(base, n)) != 0 {
			return false
		}
	}
	return true
}

func TestAppendFactors(t *testing.T) {
	for n := int64(2); n < 5000; n++ {
		want := ""
		for rest, d := n, int64(2); rest > 1; d++ {
			for ; rest%d == 0; rest /= d {
				want += " " + fmt.Sprint(d)
			}
		}
		got := ""
		for _, factor := range appendFactors(nil, n) {
			got += " " + fmt.Sprint(factor)
		}
		if got != want || isPrime(n) != (len(appendFactors(nil, n)) == 1) {
			t.Errorf("the factors of %d are%s, want%s; prime: %v", n, got, want, isPrime(n))
		}
	}
}

func TestPrimeFactorizationKeys(t *testing.T) {
	tens := func(answer string, from, to int64) string {
		factors := strings.Split(answer, " × ")
		for ; from < to; from *= 10 {
			factors = append(factors, "2", "5")
		}
		for ; from > to; from /= 10 {
			for _, gone := range []string{"2", "5"} {
				at := slices.Index(factors, gone)
				factors = slices.Delete(factors, at, at+1)
			}
		}
		return strings.Join(factors, " × ")
	}
	tasktest.Variant(t, primeFactorization.Task(), "ten times the number", func(p *primeFactorizationItem, _ *rng.Rand) func(string) string {
		n := p.Number
		p.Number *= 10
		p.Factors = appendFactors(nil, p.Number)
		return func(answer string) string { return tens(answer, n, p.Number) }
	})
	tasktest.Translated(t, primeFactorization.Task(), func(solution string, from, to primeFactorizationItem) string {
		return tens(solution, from.Number, to.Number)
	})
}
