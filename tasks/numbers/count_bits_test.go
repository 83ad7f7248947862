package numbers

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestCountBitsScore(t *testing.T) {
	item := countBitsItem{Number: 1000, N: 1000, Solution: 6, Binary: "1111101000"}
	tasktest.Nears(t, countBits.Scorer(item), []tasktest.Near{
		{"6", 1, ""},
		{"6 ones", 1. / 6, "reasoning-gym pays for a text that contains the answer"},
		{"6.0", 1, "another spelling"},
		{"06", 1, "another spelling"},
		{"5", 0, "off by one"},
		{"4", 0, "the zeros"},
		{"10", 0, "all digits"},
		{"1111101000", 0, "the number in binary"},
		{"110", 0, "the count in binary"},
		{"1000", 0, "the number"},
	})
	for _, bad := range []countBitsItem{
		{Number: -1, Solution: 64},
		{Number: 1000, Solution: 5},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// Numbers stay in their range, and reach both of its ends.
func TestCountBitsRange(t *testing.T) {
	for _, p := range []countBitsParams{{1, 1}, {5, 6}, {1, 8}, {7, 8}, {13, 42}, {1, 1<<63 - 1}, {1<<63 - 1, 1<<63 - 1}} {
		r, found := rng.New(3, "count_bits"), map[int64]bool{}
		for range 20_000 {
			item, err := makeCountBits(p, r)
			if err != nil || item.Number < p.MinN || item.Number > p.MaxN {
				t.Fatalf("%+v: %d, error %v", p, item.Number, err)
			}
			found[item.Number] = true
		}
		if span := p.MaxN - p.MinN + 1; span > 0 && span < 50 && int64(len(found)) != span {
			t.Errorf("%+v: only %d of %d numbers are made", p, len(found), span)
		}
	}
}

// The second solver reads the prompt and divides by two.
func TestCountBitsSecond(t *testing.T) {
	tasktest.Second(t, countBits.Task(), 1200, func(item countBitsItem, prompt, got string) error {
		n, ones := listed(strings.Replace(prompt, "base 2", "", 1))[0], int64(0)
		binary := ""
		for ; n > 0; n /= 2 {
			ones += n % 2
			binary = fmt.Sprint(n%2) + binary
		}
		if want := fmt.Sprint(ones); got != want || item.Binary != binary {
			return fmt.Errorf("solution %s, binary %s; want %s, %s", got, item.Binary, want, binary)
		}
		return nil
	})
}

// No count is the answer to many problems.
func TestCountBitsIsNotGuessed(t *testing.T) {
	own, err := countBits.Task().With([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int]int{}
	for i := range 3000 {
		counts[tasktest.Made[countBitsItem](t, own, 0, i).Solution]++
	}
	for count, n := range counts {
		if n > 3000/12 {
			t.Errorf("%d is the answer to %d of 3000", count, n)
		}
	}
}

func TestCountBitsKeys(t *testing.T) {
	other := func(change string, number func(int64) int64) {
		tasktest.Variant(t, countBits.Task(), change, func(c *countBitsItem, _ *rng.Rand) func(string) string {
			c.Number = number(c.Number)
			c.N, c.Binary = c.Number, strconv.FormatInt(c.Number, 2)
			return nil
		})
	}
	other("twice the number", func(n int64) int64 { return 2 * n })
	other("the digits from the end", func(n int64) int64 { return int64(bits.Reverse64(uint64(n)) >> bits.LeadingZeros64(uint64(n))) })
}
