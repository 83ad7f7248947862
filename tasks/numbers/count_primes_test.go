package numbers

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestCountPrimesScore(t *testing.T) {
	item := countPrimesItem{Start: 10, End: 101, Solution: 22, N: [2]int{10, 101}, Primes: json.RawMessage(`[11]`)}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, countPrimes.Scorer(item), []tasktest.Near{
		{"22", 1, ""},
		{"22 primes", 2. / 9, "reasoning-gym pays for a text that contains the answer"},
		{"22.", 1, "another spelling"},
		{"21", 0, "without the end"},
		{"23", 0, ""},
		{"26", 0, "all primes up to 101"},
		{"2", 0, ""},
		{"twenty-two", 0, ""},
	})
	beyond := countPrimesItem{Start: 999_999_000, End: 1_000_000_000, Solution: 49}
	if err := task.Check(beyond); err != nil {
		t.Error(err)
	}
	for _, bad := range []countPrimesItem{
		{Start: 0, End: 10, Solution: 4},
		{Start: 10, End: 9},
		{Start: 1, End: 10, Solution: 5},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The known values of the prime-counting function.
func TestPrimesUpTo(t *testing.T) {
	for n, want := range map[int]int{
		-1: 0, 0: 0, 1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 10: 4, 100: 25, 127: 31, 128: 31, 129: 31, 131: 32,
		1000: 168, 10_000: 1229, 100_000: 9592, 999_983: 78_498, 1_000_000: 78_498,
	} {
		if got := primesUpTo(n); got != want {
			t.Errorf("primesUpTo(%d) = %d, want %d", n, got, want)
		}
	}
}

// The second solver divides every number in the prompt's interval by all possible factors;
// in long intervals it divides by primes from a list.
func TestCountPrimesSecond(t *testing.T) {
	small := []int{2}
	for n := 3; n <= 1000; n += 2 {
		if hasNoFactor(n, small) {
			small = append(small, n)
		}
	}
	numbers := regexp.MustCompile(`\d+`)
	most := map[string]int{}
	tasktest.Every(t, tasktest.With(t, countPrimes.Task(), `{}`), 200, func(_ countPrimesItem, prompt, got string) error {
		return countsPrimes(numbers.FindAllString(prompt, -1), got, small)
	})
	tasktest.Every(t, countPrimes.Task(), 1200, func(item countPrimesItem, prompt, got string) error {
		most[got]++
		if item.End-item.Start > 6000 {
			return nil
		}
		return countsPrimes(numbers.FindAllString(prompt, -1), got, small)
	})
	if most["0"] > 1200/20 {
		t.Errorf("the solution is 0 in %d of 1200", most["0"])
	}
}

// countsPrimes compares got with the count of primes between two numbers.
func countsPrimes(ends []string, got string, small []int) error {
	start, _ := strconv.Atoi(ends[0])
	end, _ := strconv.Atoi(ends[1])
	count := 0
	for n := max(2, start); n <= end; n++ {
		if hasNoFactor(n, small) {
			count++
		}
	}
	if got != fmt.Sprint(count) || len(ends) != 2 {
		return fmt.Errorf("solution %s, want %d", got, count)
	}
	return nil
}

// hasNoFactor divides n by all primes up to its root.
func hasNoFactor(n int, primes []int) bool {
	for _, p := range primes {
		if p*p > n {
			break
		}
		if n%p == 0 {
			return false
		}
	}
	return true
}

func TestCountPrimesKeys(t *testing.T) {
	tasktest.NoVariants(t, countPrimes.Task(), "An interval has no names. A bound can move over composite numbers without another count, but to know that is to know the primes there.")
}
