package arithmetic

import (
	"fmt"

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
	Ask: []string{
		"Multiply: {expression}.",
		"What is {expression}?",
		"Work out the product {expression}.",
		"To which number does {expression} come?",
		"A calculator is given {expression}. Which number does it show?",
		"Find the result of this multiplication: {expression}.",
	},
	Form:  " Answer with one whole number.",
	Short: "{expression:solid}=",
	Match: task.MatchNumber,
}

// productsParams are the settings of one difficulty.
type productsParams struct {
	MinTerms      int  `json:"min_terms" want:"1 or more"`
	MaxTerms      int  `json:"max_terms" want:"min_terms to 200"`
	MinDigits     int  `json:"min_digits" want:"1 or more"` // of every factor
	MaxDigits     int  `json:"max_digits" want:"min_digits to 18"`
	AllowNegation bool `json:"allow_negation"` // factors may be negative
}

// productsItem is one product.
type productsItem struct {
	Expression string `json:"expression" want:"1 to 8192"` // factors between " * "
	NumTerms   int    `json:"num_terms"`
	NumDigits  int    `json:"num_digits"` // of every factor
	Phrasing   int    `json:"phrasing,omitempty"`
}

// makeProducts draws the number of factors and of digits, then the factors.
func makeProducts(p productsParams, r *rng.Rand) (productsItem, error) {
	item := productsItem{
		NumTerms:  r.Between(p.MinTerms, p.MaxTerms),
		NumDigits: r.Between(p.MinDigits, p.MaxDigits),
		Phrasing:  r.Between(0, 5),
	}
	item.Expression = chainSumParams(p).draw(item.NumTerms, item.NumDigits, "*", r)
	return item, nil
}

// Canonical is as in basic_arithmetic.
func (p productsItem) Canonical() string { return task.Commuted(p.Expression, nil) }

// Check refuses a record with an unreadable product.
func (p productsItem) Check() error {
	if _, ok := p.product(); !ok {
		return fmt.Errorf("expression %.80q is not a product of whole numbers", p.Expression)
	}
	return nil
}

func (p productsItem) product() (whole, bool) {
	return evaluated(wholes(10, []string{"*"}), p.Expression)
}

func (p productsItem) Solve() string {
	product, _ := p.product()
	return product.String()
}
