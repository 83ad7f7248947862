package numbers

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// baseConversion asks for a number in another base.
var baseConversion = task.Spec[baseConversionParams, baseConversionItem]{
	Name:     "base_conversion",
	Category: "algorithmic",
	Doc:      "Write a whole number in another base, from 2 to 36.",
	Source:   "Positional number systems; the settings are those of reasoning-gym.",
	Version:  5,
	Default:  baseConversionParams{MinBase: 2, MaxBase: 16, MinValue: 0, MaxValue: 1000},
	Levels: []baseConversionParams{
		{MinBase: 8, MaxBase: 10, MinValue: 1, MaxValue: 500},
		{MinBase: 2, MaxBase: 10, MinValue: 0, MaxValue: 100},
		{MinBase: 2, MaxBase: 16, MinValue: 50, MaxValue: 1000},
		{MinBase: 2, MaxBase: 20, MinValue: 1000, MaxValue: 100_000},
		{MinBase: 2, MaxBase: 36, MinValue: 1_000_000, MaxValue: 1_000_000_000},
		{MinBase: 3, MaxBase: 36, MinValue: 1_000_000_000_000, MaxValue: 1_000_000_000_000_000},
	},
	Few: []string{
		"There are 500 numbers, and three bases.",
		"There are 101 numbers, and nine bases.",
	},
	Make: makeBaseConversion,
}

// baseConversionParams are the settings of one difficulty.
type baseConversionParams struct {
	MinBase  int   `json:"min_base" want:"2 to 35"` // of the question and of the answer
	MaxBase  int   `json:"max_base" want:"more than min_base and at most 36: the two bases of a question differ"`
	MinValue int64 `json:"min_value" want:"0 or more"` // of the number
	MaxValue int64 `json:"max_value" want:"more than min_value"`
}

// baseConversionItem is one number in two bases.
type baseConversionItem struct {
	DecimalValue int64  `json:"decimal_value" want:"0 or more"`
	SourceBase   int    `json:"source_base" want:"2 to 36"` // 2 to 36, as TargetBase
	TargetBase   int    `json:"target_base" want:"2 to 36"`
	SourceRepr   string `json:"source_repr"` // the number in SourceBase; small letters
	TargetRepr   string `json:"target_repr"`
	Phrasing     int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeBaseConversion draws two different bases and a number. A number below both bases
// looks the same in both; it occurs only if the settings allow no other.
func makeBaseConversion(p baseConversionParams, r *rng.Rand) (baseConversionItem, error) {
	source, target := r.Between(p.MinBase, p.MaxBase), r.Between(p.MinBase, p.MaxBase-1)
	if target >= source {
		target++
	}
	least := max(p.MinValue, int64(min(source, target)))
	if least > p.MaxValue {
		least = p.MinValue
	}
	value := r.Between64(least, p.MaxValue)
	return baseConversionItem{
		DecimalValue: value,
		SourceBase:   source, SourceRepr: strconv.FormatInt(value, source),
		TargetBase: target, TargetRepr: strconv.FormatInt(value, target),
		Phrasing: r.Between(0, len(baseConversionPhrasings)-1),
	}, nil
}

// baseConversionPhrasings are the wordings of the question, around the digits,
// their base, and the other base.
var baseConversionPhrasings = [][4]string{
	{"Convert the number ", " from base ", " to base ", "."},
	{"The number ", " is written in base ", ". Write it in base ", "."},
	{"How is ", ", a number in base ", ", written in base ", "?"},
	{"The number whose digits are ", " in base ", " has other digits in base ", ". Which ones?"},
	{"A counter shows ", " in base ", ". What would it show in base ", "?"},
	{"Read ", " as a number in base ", " and express its value in base ", "."},
}

// Prompt implements [task.Instance].
func (b baseConversionItem) Prompt() string {
	words, letters := baseConversionPhrasings[b.Phrasing], ""
	if b.SourceBase > 10 || b.TargetBase > 10 {
		letters = " The letters a to z, in lower case, stand for the digits from 10 up."
	}
	return words[0] + b.SourceRepr + words[1] + strconv.Itoa(b.SourceBase) + words[2] + strconv.Itoa(b.TargetBase) + words[3] +
		letters + " Answer with the digits alone, for example 101."
}

// Short implements [task.Shortener].
func (b baseConversionItem) Short() string {
	return "base " + strconv.Itoa(b.SourceBase) + " to " + strconv.Itoa(b.TargetBase) + ": " + b.SourceRepr
}

// Canonical implements [task.Canonicalizer]. The two bases may be exchanged: each way round is
// the answer to the other.
func (b baseConversionItem) Canonical() string {
	return fmt.Sprint(b.DecimalValue, " in ", min(b.SourceBase, b.TargetBase), " and ", max(b.SourceBase, b.TargetBase))
}

// Check refuses a record with wrong digits. For zero, reasoning-gym has no digits at all.
func (b baseConversionItem) Check() error {
	if want := strconv.FormatInt(b.DecimalValue, b.TargetBase); b.Solve() != want {
		return fmt.Errorf("target_repr is %q, want %q", b.TargetRepr, want)
	}
	return nil
}

// Solve implements [task.Instance].
func (b baseConversionItem) Solve() string {
	if b.TargetRepr == "" {
		return "0"
	}
	return b.TargetRepr
}

// Score implements [task.Instance].
func (b baseConversionItem) Score(answer string) quintain.Verdict {
	return task.Match(answer, b.Solve())
}
