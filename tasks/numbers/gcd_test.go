package numbers

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestGCDScore(t *testing.T) {
	item := gcdItem{Numbers: []int64{84, 126}, Result: 42, NumTerms: 2}
	tasktest.Nears(t, gcd.Scorer(item), []tasktest.Near{
		{"42", 1, ""},
		{" 42", 1, "another spelling"},
		{"42.0", 1, "another spelling"},
		{"the GCD is 42", 2. / 13, "a sentence"},
		{"21", 0, "a common divisor that is not the greatest"},
		{"252", 0, "the least common multiple"},
		{"84", 0, "one of the numbers"},
		{"1", 0, ""},
	})
	for _, bad := range []gcdItem{
		{Numbers: nil, Result: 1},
		{Numbers: []int64{0, 4}, Result: 4},
		{Numbers: []int64{-4, 4}, Result: 4},
		{Numbers: make([]int64, 101)},
		{Numbers: []int64{8, 12}, Result: 2},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+.60v is accepted", bad)
		}
	}
}

var listedRE = regexp.MustCompile(`\d+`)

// listed returns the numbers of a prompt.
func listed(prompt string) (numbers []int64) {
	for _, text := range listedRE.FindAllString(prompt, -1) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			panic(err)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// The second solver reads the prompt: the divisor divides all numbers, and the quotients
// share no prime factor.
func TestGCDSecond(t *testing.T) {
	tasktest.Second(t, gcd.Task(), 1200, func(item gcdItem, prompt, got string) error {
		numbers := listed(prompt)
		g, err := strconv.ParseInt(got, 10, 64)
		if err != nil || g < 1 || len(numbers) < 2 || len(numbers) != item.NumTerms {
			return fmt.Errorf("solution %s of %v", got, numbers)
		}
		for i, n := range numbers {
			if n%g != 0 {
				return fmt.Errorf("%d does not divide %d", g, n)
			}
			numbers[i] /= g
		}
		if p := commonPrime(numbers); p > 1 {
			return fmt.Errorf("%d times %d divides all", g, p)
		}
		return nil
	})
}

// commonPrime returns a prime that divides all numbers, or 1, by trial division of
// the first.
func commonPrime(numbers []int64) int64 {
	dividesAll := func(p int64) bool {
		for _, n := range numbers {
			if n%p != 0 {
				return false
			}
		}
		return true
	}
	rest := numbers[0]
	for p := int64(2); p*p <= rest; p++ {
		for ; rest%p == 0; rest /= p {
			if dividesAll(p) {
				return p
			}
		}
	}
	if rest > 1 && dividesAll(rest) {
		return rest
	}
	return 1
}

// Short ranges, which allow nothing better, have numbers too.
func TestDrawMultiplesInShortRanges(t *testing.T) {
	r := rng.New(1, "multiples")
	for _, span := range [][2]int64{{1, 2}, {7, 8}, {1, 3}, {999, 1000}} {
		for range 200 {
			for _, n := range drawMultiples(r, 3, span[0], span[1]) {
				if n < span[0] || n > span[1] {
					t.Fatalf("%d is not in %v", n, span)
				}
			}
		}
	}
}

func TestGCDKeys(t *testing.T) {
	tasktest.Variant(t, gcd.Task(), "ten times all numbers", func(item *gcdItem, _ *rng.Rand) func(string) string {
		for i := range item.Numbers {
			item.Numbers[i] *= 10
		}
		item.Result *= 10
		return func(answer string) string { return answer + "0" }
	})
	tasktest.Variant(t, gcd.Task(), "the numbers in another order", func(item *gcdItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, item.Numbers)
		return nil
	})
	tasktest.Same(t, gcd.Task(), "the numbers may be in any order", func(item *gcdItem) { slices.Reverse(item.Numbers) })
}
