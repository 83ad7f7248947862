package numbers

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestLCMScore(t *testing.T) {
	item := lcmItem{Numbers: []int64{84, 126}, Result: "252"}
	tasktest.Nears(t, lcm.Scorer(item), []tasktest.Near{
		{"252", 1, ""},
		{"252\n", 1, "another spelling"},
		{"504", 0, "a common multiple that is not the least"},
		{"42", 0, "the greatest common divisor"},
		{"10584", 0, "the product"},
		{"126", 0, "one of the numbers"},
	})
	for _, bad := range []lcmItem{
		{Numbers: nil, Result: "1"},
		{Numbers: []int64{0, 4}, Result: "4"},
		{Numbers: make([]int64, 101)},
		{Numbers: []int64{8, 12}, Result: "96"},
		{Numbers: []int64{8, 12}, Result: "2.4e1"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+.60v is accepted", bad)
		}
	}
}

func TestMultiple(t *testing.T) {
	for _, test := range []struct {
		numbers []int64
		want    string
	}{
		{[]int64{7}, "7"},
		{[]int64{1, 1, 1}, "1"},
		{[]int64{1 << 62, 3, 2}, "13835058055282163712"},
		{[]int64{1 << 62, 1<<62 - 1, 1 << 61, 6}, "21267647932558653961849226946058125312"},
		{[]int64{9223372036854775807, 9223372036854775807}, "9223372036854775807"},
	} {
		if got := multiple(test.numbers); got != test.want {
			t.Errorf("%v: %s, want %s", test.numbers, got, test.want)
		}
	}
}

// The second solver reads the prompt and multiplies the highest powers of the primes.
func TestLCMSecond(t *testing.T) {
	tasktest.Second(t, lcm.Task(), 1200, func(_ lcmItem, prompt, got string) error {
		numbers := listed(prompt)
		if numbers[0] == 0 { // 0 comes from "a whole number above 0"
			numbers = numbers[1:]
		}
		powers := map[int64]int64{}
		for _, n := range numbers {
			for p := int64(2); n > 1; p++ {
				power := int64(1)
				for ; n%p == 0; n /= p {
					power *= p
				}
				powers[p] = max(powers[p], power)
				if p*p > n && n > 1 {
					powers[n] = max(powers[n], n)
					break
				}
			}
		}
		want := big.NewInt(1)
		for _, power := range powers {
			want.Mul(want, big.NewInt(power))
		}
		if got != want.String() || len(numbers) < 2 {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

// The product of the numbers is rarely the answer, and the answer is never among the
// numbers.
func TestLCMIsNotTheProduct(t *testing.T) {
	for level := range lcm.Levels {
		const n = 2000
		products := 0
		for i := range n {
			item := tasktest.Made[lcmItem](t, lcm.Task(), level, i)
			product := big.NewInt(1)
			for _, number := range item.Numbers {
				product.Mul(product, big.NewInt(number))
				if fmt.Sprint(number) == item.Solve() {
					t.Fatalf("level %d: %s is the answer for %v", level, item.Result, item.Numbers)
				}
			}
			if product.String() == item.Solve() {
				products++
			}
		}
		if products > n*45/100 {
			t.Errorf("level %d: the product is the answer to %d of %d", level, products, n)
		}
	}
}

func TestLCMKeys(t *testing.T) {
	tasktest.Variant(t, lcm.Task(), "ten times all numbers", func(item *lcmItem, _ *rng.Rand) func(string) string {
		for i := range item.Numbers {
			item.Numbers[i] *= 10
		}
		item.Result += "0"
		return func(answer string) string { return answer + "0" }
	})
	tasktest.Variant(t, lcm.Task(), "the numbers in another order", func(item *lcmItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, item.Numbers)
		return nil
	})
	tasktest.Same(t, lcm.Task(), "the numbers may be in any order", func(item *lcmItem) { slices.Reverse(item.Numbers) })
}
