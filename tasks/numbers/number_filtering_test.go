package numbers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNumberFilteringScore(t *testing.T) {
	item := numberFilteringItem{
		OriginalNumbers: []string{"-2.99", "-92.6", "32.50", "-33"}, FilterValue: "-33", Operation: "remove_smaller",
		Result: []string{"-2.99", "32.50", "-33"}, Numbers: 4,
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"['-2.99', '32.50', '-33']", 1, ""},
		{"['-2.99', '32.50', '-33'].", 0, "the full stop is taken off before"},
		{`["-2.99", "32.50", "-33"]`, 1, "double quotes"},
		{"[-2.99, 32.50, -33]", 1, "no quotes"},
		{"['-2.99','32.50','-33']", 1, "no spaces"},
		{"['-2.99', '32.5', '-33']", 1, "another spelling"},
		{"['-2.99', '32.50']", 0, "without the limit itself"},
		{"['32.50', '-2.99', '-33']", 0, "in another order"},
		{"['-2.99', '-92.6', '32.50', '-33']", 0, "the whole list"},
		{"['-92.6']", 0, "the others"},
	})
	none := numberFilteringItem{OriginalNumbers: []string{"5"}, FilterValue: "5", Operation: "keep_larger"}
	tasktest.Nears(t, none.Score, []tasktest.Near{
		{"[]", 1, ""},
		{"['5']", 0, ""},
	})
	for _, bad := range []numberFilteringItem{
		{OriginalNumbers: []string{"5"}, FilterValue: "5", Operation: "keep_larger", Result: []string{"5"}},
		{OriginalNumbers: []string{"5"}, FilterValue: "5", Operation: "remove_larger"},
		{OriginalNumbers: []string{"5"}, FilterValue: "5", Operation: "keep"},
		{OriginalNumbers: []string{"5"}, FilterValue: "nan", Operation: "keep_larger"},
		{OriginalNumbers: []string{"x"}, FilterValue: "1", Operation: "keep_larger"},
		{OriginalNumbers: []string{"1"}, FilterValue: "1", Operation: "keep_larger", Result: []string{"inf"}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestNumberFilteringParams(t *testing.T) {
	tasktest.Refused(t, numberFiltering.Task(), map[string]string{
		`{"min_numbers":0}`:     "min_numbers",
		`{"min_numbers":11}`:    "max_numbers",
		`{"max_numbers":10001}`: "max_numbers",
		`{"min_decimals":-1}`:   "min_decimals",
		`{"min_decimals":5}`:    "max_decimals",
		`{"min_value":100}`:     "max_value",
		`{"max_value":1e300}`:   "max_value",
	})
}

func TestFloorDiv(t *testing.T) {
	for _, test := range [][3]int64{{7, 2, 3}, {-7, 2, -4}, {-8, 2, -4}, {0, 5, 0}, {-1, 10, -1}} {
		if got := floorDiv(test[0], test[1]); got != test[2] {
			t.Errorf("floorDiv(%d, %d) = %d, want %d", test[0], test[1], got, test[2])
		}
	}
}

var filteringRE = regexp.MustCompile(`(Keep|Remove) the numbers that are (larger|smaller) than (\S+?)[.,]? `)

// The second solver reads the prompt, and compares in whole units of the tenth decimal.
func TestNumberFilteringSecond(t *testing.T) {
	all, none, at, n := 0, 0, 0, 0
	check := func(item numberFilteringItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, "\n")
		asked := filteringRE.FindStringSubmatch(question)
		limit := tenthDecimals(asked[3])
		var left []string
		_, list, _ := strings.Cut(question, "[")
		for _, text := range numberRE.FindAllString(list, -1) {
			v := tenthDecimals(text)
			if v == limit {
				at++
			}
			if matches := asked[2] == "larger" && v > limit || asked[2] == "smaller" && v < limit; matches == (asked[1] == "Keep") {
				left = append(left, "'"+text+"'")
			}
		}
		if want := "[" + strings.Join(left, ", ") + "]"; got != want {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		n++
		if len(left) == item.Numbers {
			all++
		}
		if len(left) == 0 {
			none++
		}
		return nil
	}
	tasktest.Second(t, numberFiltering.Task(), 1200, check)
	tasktest.Second(t, tasktest.With(t, numberFiltering.Task(), `{}`), 300, check)
	if all > n/100 || none > 0 || at == 0 {
		t.Errorf("of %d lists, %d are left whole and %d empty; %d numbers equal the limit", n, all, none, at)
	}
	tasktest.Second(t, tasktest.With(t, numberFiltering.Task(), `{"min_numbers":1,"max_numbers":1,"max_decimals":0}`), 50, check)
}

func TestNumberFilteringKeys(t *testing.T) {
	of := numberFiltering.Task()
	tasktest.Variant(t, of, "the numbers in another order", func(n *numberFilteringItem, _ *rng.Rand) func(string) string {
		slices.Reverse(n.OriginalNumbers)
		slices.Reverse(n.Result)
		return func(string) string { return n.Solve() }
	})
	tasktest.Variant(t, of, "keep one side, or remove the other", func(n *numberFilteringItem, _ *rng.Rand) func(string) string {
		if slices.Contains(n.OriginalNumbers, n.FilterValue) {
			return nil
		}
		n.Operation = map[string]string{
			"keep_larger": "remove_smaller", "remove_smaller": "keep_larger",
			"keep_smaller": "remove_larger", "remove_larger": "keep_smaller",
		}[n.Operation]
		return nil
	})
	tasktest.Other(t, of, "a number more", func(n *numberFilteringItem) {
		if n.Operation == "keep_larger" {
			n.OriginalNumbers = append(n.OriginalNumbers, "-1000000")
		}
	})
}
