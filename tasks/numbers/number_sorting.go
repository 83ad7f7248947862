package numbers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// numberSorting asks for numbers in order.
var numberSorting = task.Spec[numberSortingParams, numberSortingItem]{
	Name:     "number_sorting",
	Category: "algorithmic",
	Doc:      "Sort decimal numbers, ascending or descending. Every number must have its exact value, in any spelling.",
	Source:   "Any textbook of algorithms; the settings are those of reasoning-gym.",
	Version:  4,
	List:     answer.AsJSON,
	Default:  numberSortingParams{MinNumbers: 3, MaxNumbers: 10, MaxDecimals: 2, MinValue: -100, MaxValue: 100},
	Levels: []numberSortingParams{
		{MinNumbers: 3, MaxNumbers: 4, MinValue: 0, MaxValue: 50},
		{MinNumbers: 5, MaxNumbers: 8, MaxDecimals: 1, MinValue: -100, MaxValue: 100},
		{MinNumbers: 10, MaxNumbers: 20, MaxDecimals: 2, MinValue: -100, MaxValue: 100},
		{MinNumbers: 30, MaxNumbers: 50, MaxDecimals: 3, MinValue: -500, MaxValue: 500},
		{MinNumbers: 80, MaxNumbers: 120, MinDecimals: 1, MaxDecimals: 5, MinValue: -1000, MaxValue: 1000},
		{MinNumbers: 200, MaxNumbers: 300, MinDecimals: 2, MaxDecimals: 7, MinValue: -10_000, MaxValue: 10_000},
	},
	Make: makeNumberSorting,
	Ask: []string{
		"Sort these numbers in {direction} order: {original_numbers:, }",
		"Put the following numbers into {direction} order: {original_numbers:, }",
		"Arrange this list of numbers in {direction} order: {original_numbers:, }",
		"Write these numbers as a list in {direction} order: {original_numbers:, }",
		"What is the list of these numbers when it is in {direction} order? {original_numbers:, }",
		"A spreadsheet column is sorted in {direction} order. In which order do these numbers stand in it? {original_numbers:, }",
	},
	Form:  "\nAnswer with the list of all the numbers in square brackets, each in quotation marks, for example ['-3', '0.5', '12'].",
	Short: "sort {direction}: {original_numbers: }",
}

// numberSortingParams are the settings of one difficulty.
type numberSortingParams struct {
	MinNumbers  int     `json:"min_numbers" want:"1 or more"`
	MaxNumbers  int     `json:"max_numbers" want:"min_numbers to 10000"`
	MinDecimals int     `json:"min_decimals" want:"0 or more"` // of each number
	MaxDecimals int     `json:"max_decimals" want:"min_decimals to 15"`
	MinValue    float64 `json:"min_value"` // of each number
	MaxValue    float64 `json:"max_value"`
}

// Check refuses what no tag does.
func (p numberSortingParams) Check() error {
	const mostUnits = 1e15 // whole numbers up to here are exact as float64
	switch {
	case !(math.Abs(p.MinValue)*math.Pow10(p.MaxDecimals) <= mostUnits):
		return fmt.Errorf("min_value is %v, want at most 15 digits with %d decimals", p.MinValue, p.MaxDecimals)
	case !(math.Abs(p.MaxValue)*math.Pow10(p.MaxDecimals) <= mostUnits):
		return fmt.Errorf("max_value is %v, want at most 15 digits with %d decimals", p.MaxValue, p.MaxDecimals)
	}
	if least, most := p.units(p.MinDecimals); p.MaxValue <= p.MinValue || most < least {
		return fmt.Errorf("max_value is %v, want enough above min_value (%v) for a number with %d decimals between them", p.MaxValue, p.MinValue, p.MinDecimals)
	}
	return nil
}

// units returns the range of values in units of the last decimal.
func (p numberSortingParams) units(decimals int) (least, most int64) {
	one := math.Pow10(decimals)
	return int64(math.Ceil(p.MinValue * one)), int64(math.Floor(p.MaxValue * one))
}

// numberSortingItem is one list of numbers. The numbers are decimal texts.
type numberSortingItem struct {
	OriginalNumbers []string `json:"original_numbers"`
	Direction       string   `json:"direction" oneof:"ascending descending"` // "ascending" or "descending"
	SortedNumbers   []string `json:"sorted_numbers"`
	Numbers         int      `json:"numbers"` // count of numbers
	Phrasing        int      `json:"phrasing,omitempty"`
}

const (
	ascending  = "ascending"
	descending = "descending"
)

// makeNumberSorting draws the numbers, each with its own number of decimals.
func makeNumberSorting(p numberSortingParams, r *rng.Rand) (numberSortingItem, error) {
	type number struct {
		value int64 // in units of the last of p.MaxDecimals
		text  string
	}
	item := numberSortingItem{
		Direction: ascending,
		Numbers:   r.Between(p.MinNumbers, p.MaxNumbers),
		Phrasing:  r.Between(0, 5),
	}
	numbers, texts := make([]number, item.Numbers), make([]string, 2*item.Numbers)
	for i := range numbers {
		decimals := r.Between(p.MinDecimals, p.MaxDecimals)
		units := r.Between64(p.units(decimals))
		texts[i] = fixedPoint(units, decimals)
		for range p.MaxDecimals - decimals {
			units *= 10
		}
		numbers[i] = number{units, texts[i]}
	}
	sign := 1
	if r.Chance(0.5) {
		item.Direction, sign = descending, -1
	}
	slices.SortStableFunc(numbers, func(a, b number) int { return sign * cmp.Compare(a.value, b.value) })
	item.OriginalNumbers, item.SortedNumbers = texts[:item.Numbers], texts[item.Numbers:]
	for i, n := range numbers {
		item.SortedNumbers[i] = n.text
	}
	return item, nil
}

// fixedPoint writes units/10^decimals with all its decimals.
func fixedPoint(units int64, decimals int) string {
	var room [24]byte
	b := room[:0]
	if units < 0 {
		b, units = append(b, '-'), -units
	}
	digits := strconv.FormatInt(units, 10)
	for range decimals + 1 - len(digits) {
		digits = "0" + digits
	}
	b = append(b, digits[:len(digits)-decimals]...)
	if decimals > 0 {
		b = append(append(b, '.'), digits[len(digits)-decimals:]...)
	}
	return string(b)
}

// Canonical implements [task.Canonicalizer]. The order of the numbers does not matter, since
// the question is to sort them, nor do the direction and a change of all signs, which turn the answer
// around, and a power of ten.
func (n numberSortingItem) Canonical() string {
	return task.Commuted(strings.Join(n.OriginalNumbers, "+"), nil)
}

// Check refuses a record unless it has the same numbers twice, the second time in order.
func (n numberSortingItem) Check() error {
	original, err := values(n.OriginalNumbers)
	if err != nil {
		return fmt.Errorf("original_numbers: %w", err)
	}
	sorted, err := values(n.SortedNumbers)
	if err != nil {
		return fmt.Errorf("sorted_numbers: %w", err)
	}
	slices.Sort(original)
	if n.Direction == descending {
		slices.Reverse(original)
	}
	if len(sorted) == 0 || !slices.Equal(original, sorted) {
		return fmt.Errorf("sorted_numbers are not the original_numbers in %s order", n.Direction)
	}
	return nil
}

// values reads finite numbers.
func values(texts []string) ([]float64, error) {
	all := make([]float64, len(texts))
	for i, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("%q is not a number", text)
		}
		all[i] = v
	}
	return all, nil
}

func (n numberSortingItem) Solve() string {
	return "['" + strings.Join(n.SortedNumbers, "', '") + "']"
}

func (n numberSortingItem) Score(text string) quintain.Verdict {
	return matchNumbers(text, n.SortedNumbers)
}

// matchNumbers scores a JSON list of numbers, or of strings with them, in either kind of quotation
// marks. Each must have exactly the right value, in any spelling.
func matchNumbers(text string, wanted []string) quintain.Verdict {
	if commas := strings.Count(text, ","); commas >= max(len(wanted), 1) {
		return quintain.Wrong(fmt.Sprintf("there are %d commas, want %d numbers", commas, len(wanted)))
	}
	v, err := answer.ReadJSON(strings.ReplaceAll(text, "'", `"`))
	if err != nil {
		return quintain.Malformed(fmt.Sprintf("the answer is not a list in square brackets: %v", err))
	}
	list, ok := answer.Texts(v)
	if !ok {
		return quintain.Malformed("the answer is not a list of numbers in square brackets")
	}
	if len(list) != len(wanted) {
		return quintain.Wrong(fmt.Sprintf("there are %d numbers, want %d", len(list), len(wanted)))
	}
	for i, want := range wanted {
		if equal, _ := answer.SameDecimal(list[i], want); !equal {
			return quintain.Wrong(fmt.Sprintf("number %d is not %s", i+1, want))
		}
	}
	return quintain.Right()
}
