package words

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestBinaryAlternationScore(t *testing.T) {
	item := binaryAlternationItem{String: "0110010", Solution: 1, Solvable: true, N: 7}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, binaryAlternation.Scorer(item), []tasktest.Near{
		{"1", 1, ""},
		{"01", 1, "another spelling"},
		{"1 swap", 1. / 6, ""},
		{"-1", 0, "half of the guesses of -1 would earn 0.5 here"},
		{" -1 ", 0, ""},
		{"2", 0, ""},
		{"0", 0, ""},
		{"one", 0, ""},
		{"0110010", 0, "the question contains a 1"},
	})
	never := binaryAlternationItem{String: "00010", Solution: -1}
	tasktest.Nears(t, binaryAlternation.Scorer(never), []tasktest.Near{
		{"-1", 1, ""},
		{"1", 0, ""},
		{"-1.0", 1, "another spelling"},
		{"impossible", 0, "-1 was asked for"},
	})
	for _, bad := range []binaryAlternationItem{
		{String: "", Solution: 0},
		{String: "01a", Solution: 0},
		{String: "0110", Solution: 2},
		{String: "000", Solution: 1},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The second solver reads the string from the prompt and mends it place by place, for both
// patterns.
func TestBinaryAlternationSecond(t *testing.T) {
	most := map[string]int{}
	tasktest.Every(t, binaryAlternation.Task(), 1200, func(item binaryAlternationItem, prompt, got string) error {
		text := strings.Split(prompt, "\n\n")[1]
		best := -1
		for _, pattern := range []string{strings.Repeat("01", 500), strings.Repeat("10", 500)} {
			if n := mend(text, pattern); n >= 0 && (best < 0 || n < best) {
				best = n
			}
		}
		if got != fmt.Sprint(best) || item.N != len(text) || item.Solvable != (best >= 0) {
			return fmt.Errorf("solution %s, want %d", got, best)
		}
		most[got]++
		return nil
	})
	for n, count := range most {
		if count > 1200/4 {
			t.Errorf("the solution is %s in %d of 1200", n, count)
		}
	}
}

// mend swaps every wrong place of text with the next place that is wrong the other way, and
// counts the swaps; -1 if there is no such place.
func mend(text, pattern string) (swaps int) {
	bits := []byte(text)
	for i := range bits {
		if bits[i] == pattern[i] {
			continue
		}
		j := i + 1
		for j < len(bits) && (bits[j] == pattern[j] || bits[j] != pattern[i]) {
			j++
		}
		if j == len(bits) {
			return -1
		}
		bits[i], bits[j] = bits[j], bits[i]
		swaps++
	}
	return swaps
}

// Strings of all lengths from two up are made, of both kinds.
func TestBinaryAlternationShort(t *testing.T) {
	for n := 2; n < 9; n++ {
		for _, p := range []int{0, 1} {
			params := fmt.Sprintf(`{"min_n":%d,"max_n":%d,"p_solvable":%d}`, n, n, p)
			tasktest.Second(t, tasktest.With(t, binaryAlternation.Task(), params), 60, func(item binaryAlternationItem, _, got string) error {
				if item.Solution != swapsToAlternate(item.String) || len(item.String) != n || (got == "-1") != (p == 0) {
					return fmt.Errorf("%s: solution %s", item.String, got)
				}
				return nil
			})
		}
	}
}

func TestBinaryAlternationKeys(t *testing.T) {
	tasktest.Variant(t, binaryAlternation.Task(), "the string from its end", func(b *binaryAlternationItem, _ *rng.Rand) func(string) string {
		bits := []byte(b.String)
		slices.Reverse(bits)
		b.String = string(bits)
		return nil
	})
	tasktest.Variant(t, binaryAlternation.Task(), "zeros and ones exchanged", func(b *binaryAlternationItem, _ *rng.Rand) func(string) string {
		b.String = strings.NewReplacer("0", "1", "1", "0").Replace(b.String)
		return nil
	})
	tasktest.Other(t, binaryAlternation.Task(), "two characters more", func(b *binaryAlternationItem) {
		if b.Solution == 1 {
			b.String += "00"
			b.Solution = swapsToAlternate(b.String)
		}
	})
}
