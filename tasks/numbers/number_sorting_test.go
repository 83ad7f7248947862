package numbers

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNumberSortingScore(t *testing.T) {
	item := numberSortingItem{
		OriginalNumbers: []string{"2.5", "-10", "67.79"}, Direction: "descending",
		SortedNumbers: []string{"67.79", "2.5", "-10"}, Numbers: 3,
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"['67.79', '2.5', '-10']", 1, ""},
		{`["67.79", "2.5", "-10"]`, 1, "the other quotation marks"},
		{" [67.79,2.5,-10]\n", 1, "none"},
		{"['67.790', '+2.5', '-10.0']", 1, "other spellings of the same numbers"},
		{"[6.779e1, '25e-1', ' -10 ']", 1, ""},
		{"['-10', '2.5', '67.79']", 0, "ascending"},
		{"['67.79', '-10', '2.5']", 0, "two are swapped"},
		{"['67.8', '2.5', '-10']", 0, "rounded"},
		{"['68.69', '3.4', '-9.1']", 0, "0.9 too much; reasoning-gym accepts it"},
		{"['nan', 'nan', 'nan']", 0, "accepted there too"},
		{"['67.79', '2.5']", 0, "one is missing"},
		{"['67.79', '2.5', '2.5', '-10']", 0, "one occurs twice"},
		{"67.79, 2.5, -10", 0, "no list"},
		{"['67.79', '2.5', '-10'", 0, "the bracket is open"},
		{"['67.79', '2.5', '-10'].", 0, "a full stop"},
		{"[[67.79], 2.5, -10]", 0, "a list in the list"},
		{"[true, 2.5, -10]", 0, ""},
	})
	for _, bad := range []numberSortingItem{
		{OriginalNumbers: []string{"1"}, SortedNumbers: []string{"1"}, Direction: "up"},
		{OriginalNumbers: []string{"1"}, SortedNumbers: []string{"2"}, Direction: "ascending"},
		{OriginalNumbers: []string{"1", "2"}, SortedNumbers: []string{"1", "2"}, Direction: "descending"},
		{OriginalNumbers: []string{"nan"}, SortedNumbers: []string{"nan"}, Direction: "ascending"},
		{OriginalNumbers: []string{"1"}, SortedNumbers: []string{"inf"}, Direction: "ascending"},
		{Direction: "ascending"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestNumberSortingParams(t *testing.T) {
	tasktest.Refused(t, numberSorting.Task(), map[string]string{
		`{"min_numbers":0}`:                 "min_numbers",
		`{"min_numbers":11}`:                "max_numbers",
		`{"max_numbers":10001}`:             "max_numbers",
		`{"min_decimals":-1}`:               "min_decimals",
		`{"min_decimals":3}`:                "max_decimals",
		`{"max_decimals":16}`:               "max_decimals",
		`{"min_value":100}`:                 "max_value",
		`{"min_value":-1e300}`:              "min_value",
		`{"max_value":1e300}`:               "max_value",
		`{"min_value":0.2,"max_value":0.9}`: "max_value",
		`{"max_decimals":15,"min_decimals":15,"max_value":1.1}`: "min_value",
	})
}

func TestFixedPoint(t *testing.T) {
	for _, test := range []struct {
		units    int64
		decimals int
		want     string
	}{
		{0, 0, "0"}, {0, 2, "0.00"}, {7, 0, "7"}, {-7, 2, "-0.07"}, {-107, 2, "-1.07"}, {100, 2, "1.00"}, {999_999_999_999_999, 15, "0.999999999999999"},
	} {
		if got := fixedPoint(test.units, test.decimals); got != test.want {
			t.Errorf("fixedPoint(%d, %d) = %s, want %s", test.units, test.decimals, got, test.want)
		}
	}
}

var numberRE = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

// The second solver reads the prompt and sorts by insertion, in whole units of the tenth
// decimal.
func TestNumberSortingSecond(t *testing.T) {
	tasktest.Second(t, numberSorting.Task(), 1000, func(item numberSortingItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, "\n")
		rising := strings.Contains(question, " ascending ")
		var want []int64
		for _, text := range numberRE.FindAllString(question, -1) {
			n, at := tenthDecimals(text), 0
			for at < len(want) && (want[at] < n) == rising {
				at++
			}
			want = slices.Insert(want, at, n)
		}
		answers := numberRE.FindAllString(got, -1)
		if len(answers) != len(want) || len(want) != item.Numbers {
			return fmt.Errorf("%d numbers, want %d", len(answers), len(want))
		}
		for i, text := range answers {
			if tenthDecimals(text) != want[i] {
				return fmt.Errorf("number %d is %s, want %de-10", i+1, text, want[i])
			}
		}
		return nil
	})
}

// tenthDecimals returns 10^10 times the number in text.
func tenthDecimals(text string) int64 {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole+fraction+strings.Repeat("0", 10-len(fraction)), 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

func TestNumberSortingKeys(t *testing.T) {
	tasktest.Variant(t, numberSorting.Task(), "the numbers in another order", func(n *numberSortingItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, n.OriginalNumbers)
		return nil
	})
	tasktest.Variant(t, numberSorting.Task(), "in the other direction", func(n *numberSortingItem, _ *rng.Rand) func(string) string {
		if slices.Reverse(n.SortedNumbers); n.Direction == ascending {
			n.Direction = descending
		} else {
			n.Direction = ascending
		}
		return func(string) string { return n.Solve() }
	})
	tasktest.Variant(t, numberSorting.Task(), "all signs changed", func(n *numberSortingItem, _ *rng.Rand) func(string) string {
		for _, list := range [][]string{n.OriginalNumbers, n.SortedNumbers} {
			for i, number := range list {
				rest, negative := strings.CutPrefix(number, "-")
				if list[i] = rest; !negative && strings.Trim(number, "0.") != "" {
					list[i] = "-" + rest
				}
			}
		}
		slices.Reverse(n.SortedNumbers)
		return func(string) string { return n.Solve() }
	})
	tasktest.Same(t, numberSorting.Task(), "the question asks for the order", func(n *numberSortingItem) { slices.Reverse(n.OriginalNumbers) })
}
