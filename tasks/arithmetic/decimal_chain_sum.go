package arithmetic

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// decimalChainSum asks for the value of a chain of sums of decimal fractions.
var decimalChainSum = task.Spec[decimalChainSumParams, decimalChainSumItem]{
	Name:     "decimal_chain_sum",
	Category: "arithmetic",
	Doc:      "Work out a chain of additions and subtractions of decimal fractions, exactly.",
	Source:   "Elementary arithmetic; the settings are those of reasoning-gym.",
	Version:  4,
	Default:  decimalChainSumParams{MinTerms: 2, MaxTerms: 6, MinDigits: 1, MaxDigits: 4, MinDecimalPlaces: 1, MaxDecimalPlaces: 4},
	Levels: []decimalChainSumParams{
		{MinTerms: 2, MaxTerms: 2, MinDigits: 1, MaxDigits: 1, MinDecimalPlaces: 1, MaxDecimalPlaces: 1},
		{MinTerms: 2, MaxTerms: 3, MinDigits: 1, MaxDigits: 2, MinDecimalPlaces: 1, MaxDecimalPlaces: 2},
		{MinTerms: 3, MaxTerms: 5, MinDigits: 2, MaxDigits: 3, MinDecimalPlaces: 1, MaxDecimalPlaces: 3},
		{MinTerms: 4, MaxTerms: 7, MinDigits: 2, MaxDigits: 5, MinDecimalPlaces: 2, MaxDecimalPlaces: 5, AllowNegation: true},
		{MinTerms: 6, MaxTerms: 10, MinDigits: 4, MaxDigits: 7, MinDecimalPlaces: 3, MaxDecimalPlaces: 7, AllowNegation: true},
		{MinTerms: 10, MaxTerms: 16, MinDigits: 6, MaxDigits: 10, MinDecimalPlaces: 4, MaxDecimalPlaces: 10, AllowNegation: true},
	},
	Make: makeDecimalChainSum,
	Ask: []string{
		"Work out {expression}.",
		"What is {expression}?",
		"Calculate the exact value of {expression}.",
		"Add and subtract from left to right, without rounding: {expression}.",
		"A running total goes through {expression}. Where does it end?",
		"Which number does {expression} come to, to the last decimal?",
	},
	Form:  " Answer with one decimal number, with all its digits, for example -12.34.",
	Short: "{expression:solid}=",
}

// decimalChainSumParams are the settings of one difficulty.
type decimalChainSumParams struct {
	MinTerms         int  `json:"min_terms" want:"1 or more"`
	MaxTerms         int  `json:"max_terms" want:"min_terms to 1000"`
	MinDigits        int  `json:"min_digits" want:"1 or more"` // before the point of every term
	MaxDigits        int  `json:"max_digits" want:"min_digits to 18"`
	MinDecimalPlaces int  `json:"min_decimal_places" want:"0 or more"` // of every term
	MaxDecimalPlaces int  `json:"max_decimal_places" want:"min_decimal_places to 18"`
	AllowNegation    bool `json:"allow_negation"` // terms may be negative
}

// decimalChainSumItem is one chain.
type decimalChainSumItem struct {
	NumTerms   int    `json:"num_terms"`
	NumDigits  int    `json:"num_digits"` // before the point of every term
	Expression string `json:"expression"` // terms between " + " and " - "
	Phrasing   int    `json:"phrasing,omitempty"`
}

// makeDecimalChainSum draws the counts of terms and of digits, then terms and signs.
func makeDecimalChainSum(p decimalChainSumParams, r *rng.Rand) (decimalChainSumItem, error) {
	item := decimalChainSumItem{
		NumTerms:  r.Between(p.MinTerms, p.MaxTerms),
		NumDigits: r.Between(p.MinDigits, p.MaxDigits),
		Phrasing:  r.Between(0, 5),
	}
	least := int64(0)
	if item.NumDigits > 1 {
		least = powersOfTen[item.NumDigits-1]
	}
	var room [256]byte // fits most chains, without a heap allocation
	chain := room[:0]
	for i := range item.NumTerms {
		if i > 0 {
			chain = append(chain, ' ', "+-"[r.Between(0, 1)], ' ')
		}
		if p.AllowNegation && r.Chance(0.5) {
			chain = append(chain, '-')
		}
		chain = strconv.AppendInt(chain, r.Between64(least, powersOfTen[item.NumDigits]-1), 10)
		if places := r.Between(p.MinDecimalPlaces, p.MaxDecimalPlaces); places > 0 {
			chain = appendPlaces(append(chain, '.'), r.Between64(0, powersOfTen[places]-1), places)
		}
	}
	item.Expression = string(chain)
	return item, nil
}

// appendPlaces appends n ≥ 0, padded with zeros to digits.
func appendPlaces(text []byte, n int64, digits int) []byte {
	for digits--; digits > 0 && n < powersOfTen[digits]; digits-- {
		text = append(text, '0')
	}
	return strconv.AppendInt(text, n, 10)
}

// powersOfTen are the powers of ten that fit an int64.
var powersOfTen = [...]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// Canonical is as in basic_arithmetic.
func (d decimalChainSumItem) Canonical() string { return task.Commuted(d.Expression, nil) }

// Check refuses a record with an unreadable chain.
func (d decimalChainSumItem) Check() error {
	if _, ok := d.sum(); !ok {
		return fmt.Errorf("expression %.80q is not a chain of sums", d.Expression)
	}
	return nil
}

// sum adds up the chain.
func (d decimalChainSumItem) sum() (decimal, bool) {
	return evaluated(decimals(plusMinus, exactly), d.Expression)
}

func (d decimalChainSumItem) Solve() string {
	sum, _ := d.sum()
	return sum.String()
}

// pointAt writes n divided by 10^places, without trailing zeros.
func pointAt(n string, places int) string {
	if places == 0 || n == "0" {
		return n
	}
	sign := ""
	if n[0] == '-' {
		sign, n = "-", n[1:]
	}
	if short := places + 1 - len(n); short > 0 {
		n = strings.Repeat("0", short) + n
	}
	return sign + n[:len(n)-places] + strings.TrimRight("."+strings.TrimRight(n[len(n)-places:], "0"), ".")
}

func (d decimalChainSumItem) Score(text string) quintain.Verdict {
	want := d.Solve()
	equal, both := answer.SameDecimal(text, want)
	switch {
	case equal:
		return quintain.Right()
	case both:
		return quintain.Wrong("want " + want)
	}
	return quintain.Malformed("the answer is not a decimal number")
}
