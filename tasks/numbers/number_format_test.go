package numbers

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNumberFormatScore(t *testing.T) {
	item := numberFormatItem{
		Candidates: []float64{704523555.777, 704523564.474}, Solution: 704523564.474,
		Formatted: []string{"704,523,555.777", "7.045235644740000e+08"}, Size: "largest", NumCandidates: 2,
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"704523564.474", 1, ""},
		{"7.045235644740000e+08", 1, "as it is shown"},
		{" 704,523,564.474\n", 1, "with commas and space"},
		{"704523564.47", 1, "off by less than 0.01, which is nearer than the other"},
		{"704523564.46", 0, "off by more"},
		{"704523564", 0, ""},
		{"704523555.777", 0, "the other"},
		{"704523564.474 704523555.777", 0, "both"},
		{"-704523564.474", 0, ""},
		{"the second", 0, "its place"},
		{"1e999", 0, ""},
	})
	fine := numberFormatItem{
		Candidates: []float64{1000.0004, 1000.0003, 1000.0005}, Solution: 1000.0005,
		Formatted: []string{"1,000.0004", "1.0000003e+03", "1.0000005e+03"}, Size: "largest", NumCandidates: 3,
	}
	tasktest.Nears(t, fine.Score, []tasktest.Near{
		{"1000.0005", 1, ""},
		{"1000.0004", 0, "another candidate; reasoning-gym accepts it"},
		{"1000.00045", 0, "half-way"},
		{"1000.00046", 1, "nearer to the right one"},
		{"1000.001", 1, ""},
		{"1000", 0, ""},
	})
	for _, good := range []numberFormatItem{item, fine} {
		if err := task.Check(good); err != nil {
			t.Error(err)
		}
	}
	for why, spoil := range map[string]func(*numberFormatItem){
		"another size":     func(n *numberFormatItem) { n.Size = "second" },
		"another solution": func(n *numberFormatItem) { n.Size = "smallest" },
		"none":             func(n *numberFormatItem) { n.Candidates, n.Formatted = nil, nil },
		"one too few":      func(n *numberFormatItem) { n.Formatted = n.Formatted[:1] },
		"shown wrong":      func(n *numberFormatItem) { n.Formatted = []string{"704,523,555.777", "7.04e+08"} },
		"no number":        func(n *numberFormatItem) { n.Formatted = []string{"704,523,555.777", "nan"} },
		"another wording":  func(n *numberFormatItem) { n.Phrasing = 99 },
	} {
		bad := item
		spoil(&bad)
		if task.Check(bad) == nil {
			t.Errorf("a record is accepted: %s", why)
		}
	}
}

func TestNumberFormatParams(t *testing.T) {
	tasktest.Refused(t, numberFormat.Task(), map[string]string{
		`{"min_num_candidates":1}`:    "min_num_candidates",
		`{"min_num_candidates":6}`:    "max_num_candidates",
		`{"max_num_candidates":1001}`: "max_num_candidates",
		`{"min_n":0.5}`:               "min_n",
		`{"min_n":1e9}`:               "max_n",
		`{"max_n":1e12}`:              "max_n",
		`{"max_delta":0}`:             "max_delta",
		`{"max_delta":1e-6}`:          "max_delta",
		`{"max_delta":1e10}`:          "max_delta",
	})
}

func TestFormatNumber(t *testing.T) {
	for _, test := range []struct {
		units    int64
		decimals int
		want     [notations]string
	}{
		{704_523_555_777, 3, [...]string{"704,523,555.777", "7.04523555777e+08", "0.704523555777e+09", "704.523555777e+06"}},
		{1_000_000, 3, [...]string{"1,000", "1e+03", "0.1e+04", "1e+03"}},
		{20_500_000, 3, [...]string{"20,500", "2.05e+04", "0.205e+05", "20.5e+03"}},
		{300_000_000, 3, [...]string{"300,000", "3e+05", "0.3e+06", "300e+03"}},
		{1_234, 3, [...]string{"1.234", "1.234e+00", "0.1234e+01", "1.234e+00"}},
		{123_456_789_012_345, 4, [...]string{"12,345,678,901.2345", "1.23456789012345e+10", "0.123456789012345e+11", "12.3456789012345e+09"}},
	} {
		for notation, want := range test.want {
			if got := formatNumber(test.units, test.decimals, notation); got != want {
				t.Errorf("formatNumber(%d, %d, %d) = %s, want %s", test.units, test.decimals, notation, got, want)
			}
		}
	}
}

var shownRE = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?(?:e\+\d\d)?`)

// The second solver reads the prompt with exact fractions.
func TestNumberFormatSecond(t *testing.T) {
	tasktest.Second(t, numberFormat.Task(), 1200, func(item numberFormatItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, " The number behind e")
		shown := shownRE.FindAllString(question, -1)
		var best *big.Rat
		seen := map[string]bool{}
		for _, text := range shown {
			v, ok := new(big.Rat).SetString(strings.ReplaceAll(text, ",", ""))
			if !ok || seen[v.String()] {
				return fmt.Errorf("%s is not a number, or occurs twice", text)
			}
			seen[v.String()] = true
			if best == nil || (v.Cmp(best) > 0) == strings.Contains(question, "largest") {
				best = v
			}
		}
		if v, ok := new(big.Rat).SetString(got); !ok || len(shown) != item.NumCandidates || v.Cmp(best) != 0 {
			return fmt.Errorf("solution %s, want %s of %d", got, best.FloatString(9), len(shown))
		}
		return nil
	})
}

func TestNumberFormatKeys(t *testing.T) {
	tasktest.Variant(t, numberFormat.Task(), "the numbers in another order", func(n *numberFormatItem, r *rng.Rand) func(string) string {
		at := r.Between(0, len(n.Candidates)-1)
		n.Candidates = append(n.Candidates[at:], n.Candidates[:at]...)
		n.Formatted = append(n.Formatted[at:], n.Formatted[:at]...)
		return nil
	})
	tasktest.Variant(t, numberFormat.Task(), "of two, the other one", func(n *numberFormatItem, _ *rng.Rand) func(string) string {
		if len(n.Candidates) != 2 {
			return nil
		}
		n.Size = map[string]string{largest: smallest, smallest: largest}[n.Size]
		n.Solution = n.extreme()
		return func(string) string { return n.Solve() }
	})
	tasktest.Same(t, numberFormat.Task(), "the numbers may be in any order", func(n *numberFormatItem) {
		slices.Reverse(n.Candidates)
		slices.Reverse(n.Formatted)
	})
	tasktest.Other(t, numberFormat.Task(), "the notation of the numbers is part of the question", func(n *numberFormatItem) {
		n.Formatted[0] = strconv.FormatFloat(n.Candidates[0], 'f', -1, 64)
	})
}
