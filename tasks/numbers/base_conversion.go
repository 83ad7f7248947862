package numbers

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// baseConversion asks for a number in another base.
var baseConversion = task.Spec[baseParams, baseItem]{
	Name: "base_conversion", Category: "algorithmic", Version: 5,
	Doc: "Write a whole number in another base, from 2 to 36.", Source: "Positional number systems; the settings are those of reasoning-gym.",
	Default: baseParams{2, 16, 0, 1000},
	Levels: []baseParams{
		{8, 10, 1, 500}, {2, 10, 0, 100},
		{2, 16, 50, 1000}, {2, 20, 1000, 100_000},
		{2, 36, 1_000_000, 1_000_000_000}, {3, 36, 1_000_000_000_000, 1_000_000_000_000_000},
	},
	Few: []string{"There are 500 numbers, and three bases.", "There are 101 numbers, and nine bases."},
	// A number below both bases looks the same in both; it occurs only if the settings allow no other.
	Make: func(p baseParams, r *rng.Rand) (baseItem, error) {
		from, to := r.Between(p.MinBase, p.MaxBase), r.Between(p.MinBase, p.MaxBase-1)
		to += task.Bit(to >= from)
		least := max(p.MinValue, int64(min(from, to)))
		if least > p.MaxValue {
			least = p.MinValue
		}
		n := r.Between64(least, p.MaxValue)
		return baseItem{n, from, to, strconv.FormatInt(n, from), strconv.FormatInt(n, to), r.Between(0, 5)}, nil
	},
	Ask: []string{
		"Convert the number {source_repr} from base {source_base} to base {target_base}.",
		"The number {source_repr} is written in base {source_base}. Write it in base {target_base}.",
		"How is {source_repr}, a number in base {source_base}, written in base {target_base}?",
		"The number whose digits are {source_repr} in base {source_base} has other digits in base {target_base}. Which ones?",
		"A counter shows {source_repr} in base {source_base}. What would it show in base {target_base}?",
		"Read {source_repr} as a number in base {source_base} and express its value in base {target_base}.",
	},
	Form:  "{letters} Answer with the digits alone, for example 101.",
	Short: "base {source_base} to {target_base}: {source_repr}",
	Match: task.Match,
}

type baseParams struct {
	MinBase  int   `json:"min_base" want:"2 to 35"` // of the question and of the answer
	MaxBase  int   `json:"max_base" want:"more than min_base and at most 36: the two bases of a question differ"`
	MinValue int64 `json:"min_value" want:"0 or more"` // of the number
	MaxValue int64 `json:"max_value" want:"more than min_value"`
}

type baseItem struct {
	DecimalValue int64  `json:"decimal_value" want:"0 or more"`
	SourceBase   int    `json:"source_base" want:"2 to 36"`
	TargetBase   int    `json:"target_base" want:"2 to 36"`
	SourceRepr   string `json:"source_repr"`                   // the number in SourceBase; small letters
	TargetRepr   string `json:"target_repr" want:"the answer"` // for zero, reasoning-gym has no digits at all
	Phrasing     int    `json:"phrasing,omitempty"`
}

// Fill says what letters are, in a base above ten.
func (b baseItem) Fill(string) string {
	return [...]string{"", " The letters a to z, in lower case, stand for the digits from 10 up."}[task.Bit(max(b.SourceBase, b.TargetBase) > 10)]
}

func (b baseItem) Solve() string { return strconv.FormatInt(b.DecimalValue, b.TargetBase) }

// Canonical takes the two bases in any order: each way round is the answer to the other.
func (b baseItem) Canonical() string {
	return fmt.Sprint(b.DecimalValue, " in ", min(b.SourceBase, b.TargetBase), " and ", max(b.SourceBase, b.TargetBase))
}
