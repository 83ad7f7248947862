package arithmetic

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// polynomialMultiplication asks for the product of polynomials.
var polynomialMultiplication = task.Spec[productParams, productItem]{
	Name:     "polynomial_multiplication",
	Category: "algebra",
	Doc:      "Multiply polynomials out. The terms of the answer may have any order; an unexpanded product of sums is wrong.",
	Source:   "Elementary algebra; the settings are those of reasoning-gym.",
	Version:  3,
	Default:  productParams{2, 4, 1, 100, 0, 3, 2, 3, []string{"x", "y", "z"}, false, false, []string{"+", "-"}},
	Levels: []productParams{
		{2, 2, 1, 9, 0, 1, 2, 2, []string{"x", "y", "z"}, false, false, []string{"+", "-"}},
		{2, 2, 1, 12, 0, 2, 2, 2, []string{"x", "y", "z"}, false, false, []string{"+", "-"}},
		{2, 3, 1, 20, 0, 3, 2, 2, []string{"x", "y", "z"}, false, false, []string{"+", "-"}},
		{2, 4, 1, 50, 0, 3, 2, 3, []string{"x", "y", "z"}, false, false, []string{"+", "-"}},
		{3, 5, 2, 100, 0, 4, 3, 4, []string{"x", "y", "z"}, false, false, []string{"+", "-"}},
		{3, 4, 10, 999, 0, 3, 3, 4, []string{"x", "y"}, true, true, []string{"+", "-"}},
	},
	Make: makeProduct,
}

// productParams are the settings of one difficulty.
type productParams struct {
	MinTerms       int      `json:"min_terms" want:"1 or more"` // of a factor; at most the number of its powers
	MaxTerms       int      `json:"max_terms" want:"min_terms to 50"`
	MinValue       int      `json:"min_value" want:"1 or more"` // of a coefficient, unsigned
	MaxValue       int      `json:"max_value" want:"min_value to 1000000000"`
	MinDegree      int      `json:"min_degree" want:"0 or more"` // of each variable in a factor
	MaxDegree      int      `json:"max_degree" want:"min_degree to 50 and at least 1"`
	MinPolynomials int      `json:"min_polynomials" want:"2 or more"`
	MaxPolynomials int      `json:"max_polynomials" want:"min_polynomials to 10"`
	Variables      []string `json:"variables"`
	Cross          bool     `json:"allow_cross_variable_product"`           // factors may have different variables
	Multivariate   bool     `json:"allow_multivariate_polynomials"`         // every factor has all variables
	Operators      []string `json:"operators" want:"1 or more" oneof:"+ -"` // signs of the terms
}

// maxProduct limits the terms of a product.
const maxProduct = 4096

// Check refuses what no tag does.
func (p productParams) Check() error {
	if p.Multivariate && !p.Cross {
		return fmt.Errorf("allow_multivariate_polynomials is true, want allow_cross_variable_product too")
	}
	if p.Cross && math.Pow(float64(p.MaxDegree*p.MaxPolynomials+1), float64(len(p.Variables))) > maxProduct {
		return fmt.Errorf("max_degree is %d: with max_polynomials %d and %d variables the product may have more than %d terms", p.MaxDegree, p.MaxPolynomials, len(p.Variables), maxProduct)
	}
	return checkVariables(p.Variables)
}

// checkVariables refuses too many variables, or a repeated one.
func checkVariables(variables []string) error {
	if len(variables) > mostVariables {
		return fmt.Errorf("variables has %d letters, want at most %d", len(variables), mostVariables)
	}
	for i, v := range variables {
		if slices.Contains(variables[:i], v) {
			return fmt.Errorf("variables has %q twice", v)
		}
	}
	return checkSymbols("variables", variables...)
}

// productItem is one product.
type productItem struct {
	Product   string   `json:"polynomial_expr"` // such as (x + 2)*(x**2 - 3), as SymPy writes it
	Variables []string `json:"variables"`       // those that may occur
	Phrasing  int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeProduct draws factors.
func makeProduct(p productParams, r *rng.Rand) (productItem, error) {
	variables := p.Variables
	if !p.Cross {
		variables = []string{rng.Pick(r, p.Variables)}
	}
	var factors []string
	for range r.Between(p.MinPolynomials, p.MaxPolynomials) {
		own := variables
		if !p.Multivariate {
			own = []string{rng.Pick(r, variables)}
		}
		text := p.factor(own, r)
		if strings.Contains(text, " ") || len(factors) > 0 && text[0] == '-' {
			text = "(" + text + ")"
		}
		factors = append(factors, text)
	}
	return productItem{strings.Join(factors, "*"), variables, r.Between(0, len(productPhrasings)-1)}, nil
}

// factor draws a polynomial: terms with different powers.
func (p productParams) factor(variables []string, r *rng.Rand) string {
	drawn := polynomial{}
	powers := 1
	for range variables {
		powers *= p.MaxDegree - p.MinDegree + 1
	}
	for terms := min(r.Between(p.MinTerms, p.MaxTerms), powers); len(drawn) < terms; {
		var m monomial
		for i := range variables {
			m[i] = uint16(r.Between(p.MinDegree, p.MaxDegree))
		}
		if _, twice := drawn[m]; !twice {
			drawn[m] = big.NewRat(sign(p.Operators, r)*int64(r.Between(p.MinValue, p.MaxValue)), 1)
		}
	}
	return drawn.text(variables)
}

// productPhrasings are the wordings of the question, with the placeholder PRODUCT.
var productPhrasings = []string{
	"Multiply out:\n\nPRODUCT",
	"PRODUCT\n\nWhich polynomial is equal to this product?",
	"Remove all brackets from the expression below and collect like terms.\n\nPRODUCT",
	"A program computes\n\nPRODUCT\n\nIts author wants the same values from a formula without brackets. Write that formula.",
	"The polynomial P is given by its factors:\n\nP = PRODUCT\n\nWhat are its terms?",
	"Write this as a sum in which every power has one coefficient:\n\nPRODUCT",
}

func (s productItem) Prompt() string {
	return strings.Replace(productPhrasings[s.Phrasing], "PRODUCT", printed.Replace(s.Product), 1) +
		"\n\nAnswer with the polynomial alone, multiplied out, such as 3*a^2*b - 5*a + 7."
}

func (s productItem) Short() string {
	return strings.ReplaceAll(printed.Replace(s.Product), " ", "") + "="
}

// Canonical implements [task.Canonicalizer]. The names and the signs of the variables do not matter, nor do
// the orders of factors and of terms, the signs of factors and a power of ten.
func (s productItem) Canonical() string {
	return task.Relabeled(len(s.Variables), func(labels []int) string {
		return canon.Least(1<<min(len(labels), mostMirrored), func(signs int) string {
			names := make(map[string]string, len(labels))
			for i, label := range labels {
				names[s.Variables[i]] = strings.Repeat("-", signs>>i&1) + "x" + strconv.Itoa(label)
			}
			return task.Commuted(s.Product, names)
		})
	})
}

// mostMirrored limits the variables whose signs a key leaves out.
const mostMirrored = 4

// Check refuses a record with an unreadable product.
func (s productItem) Check() error {
	if _, err := s.product(); err != nil {
		return fmt.Errorf("polynomial_expr %.80q: %w", s.Product, err)
	}
	return nil
}

// product expands the product.
func (s productItem) product() (polynomial, error) {
	if err := checkVariables(s.Variables); err != nil {
		return nil, err
	}
	n, err := readExpression(s.Product)
	if err != nil {
		return nil, err
	}
	return reader{variables: s.Variables, multiply: true}.read(n)
}

func (s productItem) Solve() string {
	p, err := s.product()
	if err != nil {
		return "" // Check has already refused it
	}
	return p.text(s.Variables)
}

// Score implements [task.Scorer]. As in reasoning-gym, a number may stand before a
// bracket, but an unexpanded product of sums is wrong.
func (s productItem) Score(answer string) quintain.Verdict {
	n, err := readExpression(answer)
	if err != nil {
		return quintain.Malformed(fmt.Sprintf("want a polynomial: %v", err))
	}
	got, err := reader{variables: s.Variables}.read(n)
	if err != nil {
		return quintain.Wrong(fmt.Sprintf("want an expanded polynomial: %v", err))
	}
	want, err := s.product()
	if err != nil || !got.equal(want) {
		return quintain.Wrong("want " + s.Solve())
	}
	return quintain.Right()
}
