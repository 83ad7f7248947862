package arithmetic

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// products asks for the product of several whole numbers.
var products = task.Spec[productsParams, productsItem]{
	Name:     "products",
	Category: "arithmetic",
	Doc: "Multiply whole numbers. " +
		"No factor is 0 or 1, so that every factor counts.",
	Source:  "Elementary arithmetic; the settings are those of reasoning-gym.",
	Version: 5,
	Default: productsParams{MinTerms: 2, MaxTerms: 2, MinDigits: 1, MaxDigits: 5},
	Levels: []productsParams{
		{MinTerms: 2, MaxTerms: 2, MinDigits: 1, MaxDigits: 2},
		{MinTerms: 2, MaxTerms: 3, MinDigits: 1, MaxDigits: 2},
		{MinTerms: 2, MaxTerms: 3, MinDigits: 2, MaxDigits: 2, AllowNegation: true},
		{MinTerms: 2, MaxTerms: 3, MinDigits: 3, MaxDigits: 4, AllowNegation: true},
		{MinTerms: 2, MaxTerms: 3, MinDigits: 4, MaxDigits: 6, AllowNegation: true},
		{MinTerms: 3, MaxTerms: 4, MinDigits: 5, MaxDigits: 8, AllowNegation: true},
	},
	Few: []string{
		"There are few products of two digits, and of two numbers up to 99.",
		"There are few products of two or three digits, and of two numbers up to 99.",
	},
	Make: makeProducts,
}

// productsParams are the settings of one difficulty.
type productsParams struct {
	MinTerms      int  `json:"min_terms" want:"1 or more"`
	MaxTerms      int  `json:"max_terms" want:"min_terms to 200"`
	MinDigits     int  `json:"min_digits" want:"1 or more"` // of every factor
	MaxDigits     int  `json:"max_digits" want:"min_digits to 18"`
	AllowNegation bool `json:"allow_negation"` // factors may be negative
}

// maxFactors limits the factors of a product.
const maxFactors = 200

// productsItem is one product.
type productsItem struct {
	Expression string `json:"expression"` // factors between " * "
	NumTerms   int    `json:"num_terms"`
	NumDigits  int    `json:"num_digits"` // of every factor
	Phrasing   int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeProducts draws the number of factors and of digits, then the factors.
func makeProducts(p productsParams, r *rng.Rand) (productsItem, error) {
	item := productsItem{
		NumTerms:  r.Between(p.MinTerms, p.MaxTerms),
		NumDigits: r.Between(p.MinDigits, p.MaxDigits),
		Phrasing:  r.Between(0, len(productsPhrasings)-1),
	}
	item.Expression = chainSumParams(p).draw(item.NumTerms, item.NumDigits, "*", r)
	return item, nil
}

// productsPhrasings are the wordings of the question, before and after the product.
var productsPhrasings = [][2]string{
	{"Multiply: ", "."},
	{"What is ", "?"},
	{"Work out the product ", "."},
	{"To which number does ", " come?"},
	{"A calculator is given ", ". Which number does it show?"},
	{"Find the result of this multiplication: ", "."},
}

// Prompt implements [task.Instance].
func (p productsItem) Prompt() string {
	words := productsPhrasings[p.Phrasing]
	return words[0] + p.Expression + words[1] + " Answer with one whole number."
}

// Short implements [task.Shortener].
func (p productsItem) Short() string { return strings.ReplaceAll(p.Expression, " ", "") + "=" }

// Canonical implements [task.Canonicalizer], as in basic_arithmetic.
func (p productsItem) Canonical() string { return task.Commuted(p.Expression, nil) }

// Check refuses a record with an unreadable product.
func (p productsItem) Check() error {
	if _, ok := multiply(p.Expression); !ok {
		return fmt.Errorf("expression %.80q is not a product of up to %d whole numbers", p.Expression, maxFactors)
	}
	return nil
}

// Solve implements [task.Instance].
func (p productsItem) Solve() string {
	product, _ := multiply(p.Expression)
	return product
}

// multiply computes a product of decimal factors separated by " * ".
func multiply(text string) (product string, ok bool) {
	const mostDigits = 40 // of a factor in a foreign record
	small, large := int64(1), (*big.Int)(nil)
	for range maxFactors {
		factor, rest, more := strings.Cut(text, " * ")
		n, err := strconv.ParseInt(factor, 10, 64)
		switch {
		case err == nil && factor[0] != '+' && large == nil && fits(small, n):
			small *= n
		default:
			f, ok := new(big.Int).SetString(factor, 10)
			if !ok || factor[0] == '+' || len(factor) > mostDigits {
				return "", false
			}
			if large == nil {
				large = big.NewInt(small)
			}
			large.Mul(large, f)
		}
		if !more && large == nil {
			return strconv.FormatInt(small, 10), true
		}
		if !more {
			return large.String(), true
		}
		text = rest
	}
	return "", false
}

// fits reports whether a*b is sure to be an int64.
func fits(a, b int64) bool {
	const half = 1 << 31
	return -half < a && a < half && -half < b && b < half
}

// Score implements [task.Instance].
func (p productsItem) Score(answer string) quintain.Verdict {
	return task.MatchNumber(answer, p.Solve())
}
