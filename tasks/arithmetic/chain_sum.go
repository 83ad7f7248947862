package arithmetic

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// chainSum asks for the value of a chain of additions and subtractions.
var chainSum = task.Spec[chainSumParams, chainSumItem]{
	Name:     "chain_sum",
	Category: "arithmetic",
	Doc:      "Work out a chain of additions and subtractions of whole numbers.",
	Source:   "Elementary arithmetic; the settings are those of reasoning-gym.",
	Version:  5,
	Default:  chainSumParams{MinTerms: 2, MaxTerms: 6, MinDigits: 1, MaxDigits: 4},
	Levels: []chainSumParams{
		{MinTerms: 2, MaxTerms: 2, MinDigits: 1, MaxDigits: 1},
		{MinTerms: 2, MaxTerms: 3, MinDigits: 1, MaxDigits: 2},
		{MinTerms: 3, MaxTerms: 5, MinDigits: 2, MaxDigits: 3},
		{MinTerms: 4, MaxTerms: 7, MinDigits: 3, MaxDigits: 5, AllowNegation: true},
		{MinTerms: 6, MaxTerms: 10, MinDigits: 5, MaxDigits: 8, AllowNegation: true},
		{MinTerms: 16, MaxTerms: 30, MinDigits: 10, MaxDigits: 15, AllowNegation: true},
		{MinTerms: 60, MaxTerms: 100, MinDigits: 10, MaxDigits: 15, AllowNegation: true},
		{MinTerms: 200, MaxTerms: 300, MinDigits: 10, MaxDigits: 15, AllowNegation: true},
	},
	Few: []string{
		"There are few sums and differences of two digits.",
		"There are few sums and differences of two digits, or of two short numbers.",
	},
	Make: makeChainSum,
	Ask: []string{
		"Work out {expression}.",
		"What is {expression}?",
		"Calculate the value of {expression}.",
		"Add and subtract from left to right: {expression}.",
		"A running total goes through {expression}. Where does it end?",
		"Which number does {expression} come to?",
	},
	Form:  " Answer with one whole number.",
	Short: "{expression:solid}=",
	Match: task.MatchNumber,
}

// chainSumParams are the settings of one difficulty.
type chainSumParams struct {
	MinTerms      int  `json:"min_terms" want:"1 or more"`
	MaxTerms      int  `json:"max_terms" want:"min_terms to 1000"`
	MinDigits     int  `json:"min_digits" want:"1 or more"` // of every term
	MaxDigits     int  `json:"max_digits" want:"min_digits to 18"`
	AllowNegation bool `json:"allow_negation"` // terms may be negative
}

// chainSumItem is one chain.
type chainSumItem struct {
	NumTerms   int    `json:"num_terms"`
	NumDigits  int    `json:"num_digits"` // of every term
	Expression string `json:"expression"` // terms between " + " and " - "
	Phrasing   int    `json:"phrasing,omitempty"`
}

// makeChainSum draws the counts of terms and of digits, then terms and signs.
func makeChainSum(p chainSumParams, r *rng.Rand) (chainSumItem, error) {
	item := chainSumItem{
		NumTerms:  r.Between(p.MinTerms, p.MaxTerms),
		NumDigits: r.Between(p.MinDigits, p.MaxDigits),
		Phrasing:  r.Between(0, 5),
	}
	item.Expression = p.draw(item.NumTerms, item.NumDigits, "+-", r)
	return item, nil
}

// draw draws a chain of terms, each with the given number of digits, joined by random
// operators. Factors are 2 or more.
func (p chainSumParams) draw(terms, digits int, operators string, r *rng.Rand) string {
	least, most := powersOfTen[digits-1], powersOfTen[digits]-1
	if digits == 1 && operators == "*" {
		least = 2
	} else if digits == 1 {
		least = 0
	}
	var room [128]byte // fits most chains, without a heap allocation
	chain, op := room[:0], operators[0]
	for i := range terms {
		if i > 0 {
			if len(operators) > 1 {
				op = operators[r.Between(0, len(operators)-1)]
			}
			chain = append(chain, ' ', op, ' ')
		}
		n := r.Between64(least, most)
		if p.AllowNegation && r.Chance(0.5) {
			n = -n
		}
		chain = strconv.AppendInt(chain, n, 10)
	}
	return string(chain)
}

// Canonical is as in basic_arithmetic.
func (c chainSumItem) Canonical() string { return task.Commuted(c.Expression, nil) }

// Check refuses a record with an unreadable chain.
func (c chainSumItem) Check() error {
	if _, ok := c.sum(); !ok {
		return fmt.Errorf("expression %q is not a chain of sums", c.Expression)
	}
	return nil
}

func (c chainSumItem) sum() (whole, bool) {
	return evaluated(wholes(10, plusMinus), c.Expression)
}

func (c chainSumItem) Solve() string {
	sum, _ := c.sum()
	return sum.String()
}
