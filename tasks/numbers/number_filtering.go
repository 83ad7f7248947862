package numbers

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// numberFiltering asks for the numbers of a list above or below a limit.
var numberFiltering = task.Spec[numberFilteringParams, numberFilteringItem]{
	Name:     "number_filtering",
	Category: "algorithmic",
	Doc: "Keep or remove the numbers of a list that are larger or smaller than a given one. " +
		"The limit lies between two neighbors in the sorted list, all equally likely, so that a list is rarely kept or dropped as a whole.",
	Source:  "Any textbook of programming; the settings are those of reasoning-gym.",
	Version: 5,
	List:    answer.AsJSON,
	Default: numberFilteringParams{MinNumbers: 3, MaxNumbers: 10, MaxDecimals: 4, MinValue: -100, MaxValue: 100},
	Levels: []numberFilteringParams{
		{MinNumbers: 3, MaxNumbers: 5, MinValue: 0, MaxValue: 50},
		{MinNumbers: 5, MaxNumbers: 8, MaxDecimals: 1, MinValue: -100, MaxValue: 100},
		{MinNumbers: 10, MaxNumbers: 16, MaxDecimals: 2, MinValue: -100, MaxValue: 100},
		{MinNumbers: 25, MaxNumbers: 40, MaxDecimals: 3, MinValue: -500, MaxValue: 500},
		{MinNumbers: 60, MaxNumbers: 90, MinDecimals: 1, MaxDecimals: 5, MinValue: -1000, MaxValue: 1000},
		{MinNumbers: 150, MaxNumbers: 200, MinDecimals: 2, MaxDecimals: 6, MinValue: -10_000, MaxValue: 10_000},
	},
	Make: makeNumberFiltering,
}

// numberFilteringParams are the settings of one difficulty, with the names and the bounds
// of number_sorting.
type numberFilteringParams numberSortingParams

// Check refuses limits between which there is no number.
func (p numberFilteringParams) Check() error { return numberSortingParams(p).Check() }

// numberFilteringItem is one list of numbers and a limit. The numbers are decimal
// texts.
type numberFilteringItem struct {
	OriginalNumbers []string `json:"original_numbers"`
	FilterValue     string   `json:"filter_value"`
	Operation       string   `json:"operation"` // a name in filters
	Result          []string `json:"result"`    // in the order of OriginalNumbers
	Numbers         int      `json:"numbers"`   // count of OriginalNumbers
	Phrasing        int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// A filter is one of the four operations.
type filter struct {
	name   string
	words  string
	above  bool // keeps numbers above the limit
	itself bool // removes numbers, so it keeps those equal to the limit
}

var filters = []filter{
	{name: "keep_larger", words: "Keep the numbers that are larger than ", above: true},
	{name: "keep_smaller", words: "Keep the numbers that are smaller than "},
	{name: "remove_larger", words: "Remove the numbers that are larger than ", itself: true},
	{name: "remove_smaller", words: "Remove the numbers that are smaller than ", above: true, itself: true},
}

// keeps reports whether f keeps a number; order is the sign of the number minus the limit.
func (f filter) keeps(order int64) bool {
	return order == 0 && f.itself || order != 0 && order > 0 == f.above
}

// makeNumberFiltering draws the numbers, and an operation that keeps some and drops some,
// if it finds one.
func makeNumberFiltering(p numberFilteringParams, r *rng.Rand) (numberFilteringItem, error) {
	n := r.Between(p.MinNumbers, p.MaxNumbers)
	item := numberFilteringItem{Numbers: n, Phrasing: r.Between(0, len(numberFilteringPhrasings)-1)}
	var room [512]byte // fits most lists, without a heap allocation
	const most = 32    // numbers in most lists
	text, values, ends := room[:0], make([]int64, 0, most), make([]int, 0, most)
	for range n {
		v := p.number(math.MinInt64, math.MaxInt64, r)
		text = v.append(text)
		values, ends = append(values, v.value), append(ends, len(text))
	}
	all, from, both := string(text), 0, make([]string, 2*n)
	item.OriginalNumbers, item.Result = both[:n:n], both[n:n]
	for i, end := range ends {
		item.OriginalNumbers[i], from = all[from:end], end
	}
	sorted := append(make([]int64, 0, most), values...)
	slices.Sort(sorted)
	which, limit := p.filter(sorted, r)
	item.Operation, item.FilterValue = which.name, string(limit.append(text[:0]))
	for i, v := range values {
		if which.keeps(v - limit.value) {
			item.Result = append(item.Result, item.OriginalNumbers[i])
		}
	}
	return item, nil
}

// filter draws an operation, and a limit between two neighbors of the sorted numbers. It
// always keeps something, and drops something if there are several different numbers.
func (p numberFilteringParams) filter(sorted []int64, r *rng.Rand) (which filter, limit filterNumber) {
	const tries = 10
	least, most := sorted[0], sorted[len(sorted)-1]
	for try := 1; ; try++ {
		which = rng.Pick(r, filters)
		lower, upper := int64(math.MinInt64), int64(math.MaxInt64)
		if len(sorted) > 1 {
			at := r.Between(1, len(sorted)-1)
			lower, upper = sorted[at-1], sorted[at]
		}
		limit = p.number(lower, upper, r)
		first, last := which.keeps(least-limit.value), which.keeps(most-limit.value)
		switch {
		case first != last || try == tries && first:
			return which, limit
		case try == tries: // it keeps nothing, so the opposite keeps everything
			at := slices.Index(filters, which)
			return filters[(at+2)%len(filters)], limit
		}
	}
}

// A filterNumber is one decimal number: units/10^decimals, and its value in units of the
// last possible decimal.
type filterNumber struct {
	value, units int64
	decimals     int
}

// number draws a number with a value from lower to upper, within the range of the settings.
// It has fewer decimals than the maximum if such a number exists.
func (p numberFilteringParams) number(lower, upper int64, r *rng.Rand) filterNumber {
	decimals, unit := r.Between(p.MinDecimals, p.MaxDecimals), int64(1)
	least, most := numberSortingParams(p).units(decimals)
	for range p.MaxDecimals - decimals {
		unit *= 10
	}
	if lower > math.MinInt64 {
		least, most = max(least, -floorDiv(-lower, unit)), min(most, floorDiv(upper, unit))
	}
	if least > most { // with the most decimals, at least the two neighbors fit
		decimals, unit, least, most = p.MaxDecimals, 1, lower, upper
	}
	units := r.Between64(least, most)
	return filterNumber{units * unit, units, decimals}
}

// append appends n with all its decimals.
func (n filterNumber) append(b []byte) []byte {
	var room [24]byte
	at, units := len(room), max(n.units, -n.units)
	for place := 0; place <= n.decimals || units > 0; place++ {
		if place == n.decimals && place > 0 {
			at--
			room[at] = '.'
		}
		at--
		room[at] = '0' + byte(units%10)
		units /= 10
	}
	if n.units < 0 {
		at--
		room[at] = '-'
	}
	return append(b, room[at:]...)
}

// floorDiv divides and rounds down; b is positive.
func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

// numberFilteringPhrasings are the wordings of the question: before the operation with its
// limit, then between that and the list, for operations that keep numbers and for those
// that remove them.
var numberFilteringPhrasings = [][3]string{
	{"", " in this list: ", " from this list: "},
	{"", " among these: ", " from these: "},
	{"", " in the following list of numbers: ", " from the following list of numbers: "},
	{"A program filters a list by this rule: ", ". Its input is ", ". Its input is "},
	{"What is left of a list after this step? ", ". At the start, the list is ", ". At the start, the list is "},
	{"Somebody gives you a note and some numbers. The note says: ", ". These are the numbers: ", ". These are the numbers: "},
}

func (n numberFilteringItem) Prompt() string {
	which, _ := filterNamed(n.Operation)
	words := numberFilteringPhrasings[n.Phrasing]
	between := words[1]
	if which.itself {
		between = words[2]
	}
	b := append(make([]byte, 0, task.PromptRoom), words[0]...)
	b = append(append(append(b, which.words...), n.FilterValue...), between...)
	b = appendPythonList(b, n.OriginalNumbers)
	b = append(b, "\nAnswer with the list of the numbers that are left, in the same order and the same form: "+
		"in square brackets, each in single quotes, with a comma and a space between them, for example ['-3', '0.50', '12']. An empty list is []."...)
	return string(b)
}

// filterNamed finds a filter by its name.
func filterNamed(name string) (f filter, found bool) {
	for _, f := range filters {
		if f.name == name {
			return f, true
		}
	}
	return filter{}, false
}

// appendPythonList appends a list of strings as Python prints it. None of them may contain
// a quotation mark or a backslash.
func appendPythonList(b []byte, all []string) []byte {
	b = append(b, '[')
	for i, text := range all {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(append(append(b, '\''), text...), '\'')
	}
	return append(b, ']')
}

func (n numberFilteringItem) Short() string {
	return strings.ReplaceAll(n.Operation, "_", " ") + " than " + n.FilterValue + ": " + strings.Join(n.OriginalNumbers, " ")
}

// Canonical implements [task.Canonicalizer]. The order of the numbers does not matter, nor which of those
// beyond the limit are asked for: the larger or smaller ones, to keep or to remove; nor do a change of all
// signs and a power of ten.
func (n numberFilteringItem) Canonical() string {
	return task.Commuted(strings.Join(n.OriginalNumbers, "+")+"+limit*"+n.FilterValue, nil)
}

// Check refuses a record with a wrong result. Of numbers with the same value in two
// spellings, reasoning-gym keeps the first for both.
func (n numberFilteringItem) Check() error {
	which, found := filterNamed(n.Operation)
	if !found {
		return fmt.Errorf("operation is %q", n.Operation)
	}
	limit, err := values([]string{n.FilterValue})
	if err != nil {
		return fmt.Errorf("filter_value: %w", err)
	}
	original, err := values(n.OriginalNumbers)
	if err != nil {
		return fmt.Errorf("original_numbers: %w", err)
	}
	result, err := values(n.Result)
	if err != nil {
		return fmt.Errorf("result: %w", err)
	}
	left := slices.DeleteFunc(original, func(v float64) bool {
		order := int64(0)
		if v > limit[0] {
			order = 1
		} else if v < limit[0] {
			order = -1
		}
		return !which.keeps(order)
	})
	if !slices.Equal(left, result) || strings.ContainsAny(strings.Join(n.Result, ""), `'\`) {
		return errors.New("result is not what the operation leaves of original_numbers")
	}
	return nil
}

func (n numberFilteringItem) Solve() string {
	return string(appendPythonList(make([]byte, 0, 256), n.Result))
}

func (n numberFilteringItem) Score(text string) quintain.Verdict {
	return matchNumbers(text, n.Result)
}
