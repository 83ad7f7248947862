package arithmetic

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPolynomialMultiplicationScore(t *testing.T) {
	item := productItem{Product: "(2*x + 1)*(x + 1)", Variables: []string{"x"}}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"2*x**2 + 3*x + 1", 1, ""},
		{"1+3x+2x^2", 1, "any order, without signs of multiplication"},
		{`\boxed{2x^2+3x+1}`, 1, "LaTeX"},
		{"P = 2x² + 3x + 1", 1, "with its name"},
		{"2*x*x + x + 2*x + 1", 1, "uncollected like terms, as in reasoning-gym"},
		{"(4*x**2 + 6*x + 2)/2", 1, "a number before a bracket, as in reasoning-gym"},
		{"2*(x**2 + 1) + 3*x - 1", 1, "the same"},
		{"2.0*x**2 + 3*x + 1", 1, "a decimal"},
		{"2*x**2 + x**1*3 + x**0", 1, "the powers 1 and 0"},
		{"x*2*x**(3 - 2) - -3*x + 2/2", 1, "an evaluated power, sign and constant"},
		{"2*x**18446744073709551618 + 3*x + 1", 0, "an exponent equal to 2 in 64 bits"},
		{"2*x**65538 + 3*x + 1", 0, "an exponent equal to 2 in 16 bits"},
		{"2*" + strings.Repeat("x**1000*", 65) + "x**538 + 3*x + 1", 0, "exponents with the sum 2 in 16 bits"},
		{"2*x**2*y**0 + 3*x + 1", 0, "a variable that it does not have"},
		{"(2*x + 1)*(x + 1)", 0, "the question"},
		{"x*(2*x + 3) + 1", 0, "half way"},
		{"(x + 1)**2 + x**2 + x", 0, "an unexpanded square"},
		{"2*x**2 + 3*x + 2", 0, "a wrong constant"},
		{"2*x**2 - 3*x + 1", 0, "a wrong sign"},
		{"2*X**2 + 3*X + 1", 0, "another variable"},
		{"2*x**2 + 3*x", 0, "a term is missing"},
		{"2*x**2 + 3*x + 1 = 0", 0, "an equation"},
		{"2*x**2, 3*x, 1", 0, "a list"},
		{"6", 0, "its value at 1"},
		{"x**(1/2)", 0, ""},
		{"1/x", 0, ""},
		{"x**100000000", 0, ""},
		{"9**9**9**9", 0, ""},
		{"(x+1)**1000", 0, ""},
		{strings.Repeat("999**999*", 6000) + "1", 0, ""},
		{strings.Repeat("1/7919+1/7907+", 3000) + "1", 0, ""},
		{strings.Repeat("(", 40_000), 0, ""},
	})
}

func TestPolynomialMultiplicationCheck(t *testing.T) {
	for _, bad := range []productItem{
		{Product: "(x + 1", Variables: []string{"x"}}, {Product: "x*y", Variables: []string{"x"}}, {Product: "x", Variables: nil}, {Product: "x", Variables: []string{"x", "x"}},
		{Product: "x", Variables: []string{"e"}}, {Product: "x", Variables: strings.Split("abcdfgh", "")}, {Product: "x/x", Variables: []string{"x"}},
		{Product: "(x + 1)**9999", Variables: []string{"x"}}, {Product: "(a+b+c+d)**50", Variables: strings.Split("abcd", "")}, {Product: "x", Variables: []string{"x"}, Phrasing: 6},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestPolynomialMultiplicationParams(t *testing.T) {
	tasktest.Refused(t, polynomialMultiplication.Task(), map[string]string{
		`{"min_terms":0}`:                         "min_terms",
		`{"max_terms":51}`:                        "max_terms",
		`{"min_value":0}`:                         "min_value",
		`{"max_value":1000000001}`:                "max_value",
		`{"min_degree":-1}`:                       "min_degree",
		`{"max_degree":51}`:                       "max_degree",
		`{"max_degree":0}`:                        "max_degree",
		`{"min_polynomials":1}`:                   "min_polynomials",
		`{"max_polynomials":11}`:                  "max_polynomials",
		`{"variables":[]}`:                        "variables",
		`{"variables":["i"]}`:                     "variables",
		`{"variables":["x","x"]}`:                 "variables",
		`{"allow_multivariate_polynomials":true}`: "allow_multivariate_polynomials",
		`{"allow_cross_variable_product":true,"max_degree":6,"max_polynomials":10}`: "max_degree",
		`{"operators":["*"]}`: "operators",
	})
	for _, params := range []string{
		`{"min_terms":1,"max_terms":1}`, `{"allow_cross_variable_product":true}`, `{"allow_cross_variable_product":true,"allow_multivariate_polynomials":true}`,
		`{"max_terms":50,"max_degree":10,"max_polynomials":10,"max_value":1000000000}`, `{"variables":["a","b","c","d"],"operators":["-"]}`,
	} {
		own, err := polynomialMultiplication.Task().With([]byte(params))
		if err != nil {
			t.Fatal(err)
		}
		tasktest.Second(t, own, 100, secondProduct)
	}
}

func TestPolynomialMultiplicationSecond(t *testing.T) {
	tasktest.Second(t, polynomialMultiplication.Task(), 1200, secondProduct)
}

// secondProduct puts numbers into the product of the prompt and into the solution. The
// numbers are so large that two polynomials of such degrees never agree by chance.
func secondProduct(s productItem, prompt, got string) error {
	factors := formula(prompt)
	if strings.ContainsAny(got, "()") {
		return fmt.Errorf("the solution %s has brackets", got)
	}
	at := map[string]*big.Int{}
	for i, v := range s.Variables {
		at[v] = big.NewInt(1_000_000_007 + 1_234_567*int64(i))
	}
	product := big.NewInt(1)
	for _, factor := range splitFactors(factors) {
		product.Mul(product, wholeSum(factor, at))
	}
	if sum := wholeSum(got, at); sum.Cmp(product) != 0 {
		return fmt.Errorf("%s is %s, and %s is %s", factors, product, got, sum)
	}
	return nil
}

// splitFactors splits a product at the stars outside brackets.
func splitFactors(text string) (factors []string) {
	depth, start := 0, 0
	for i, r := range text {
		switch {
		case r == '(':
			depth++
		case r == ')':
			depth--
		case r == '*' && depth == 0:
			factors, start = append(factors, strings.Trim(text[start:i], "()")), i+1
		}
	}
	return append(factors, strings.Trim(text[start:], "()"))
}

// wholeSum evaluates a sum of products of numbers and powers of variables.
func wholeSum(text string, at map[string]*big.Int) *big.Int {
	total := new(big.Int)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "**", "^"), " - ", " + -")
	for _, term := range strings.Split(text, " + ") {
		rest, negative := strings.CutPrefix(term, "-")
		product := big.NewInt(1)
		for _, factor := range strings.Split(rest, "*") {
			base, exponent, has := strings.Cut(factor, "^")
			value, ok := at[base]
			if !ok {
				value, _ = new(big.Int).SetString(base, 10)
			}
			if has {
				e, _ := new(big.Int).SetString(exponent, 10)
				value = new(big.Int).Exp(value, e, nil)
			}
			product.Mul(product, value)
		}
		if negative {
			product.Neg(product)
		}
		total.Add(total, product)
	}
	return total
}

func TestPolynomialMultiplicationKeys(t *testing.T) {
	tasktest.Variant(t, polynomialMultiplication.Task(), "other variables", func(s *productItem, _ *rng.Rand) func(string) string {
		names := strings.NewReplacer("x", "b", "y", "a", "z", "c")
		s.Product = names.Replace(s.Product)
		for i, v := range s.Variables {
			s.Variables[i] = names.Replace(v)
		}
		return names.Replace
	})
	tasktest.Variant(t, polynomialMultiplication.Task(), "the factors in another order", func(s *productItem, r *rng.Rand) func(string) string {
		factors := strings.Split(s.Product, ")*(")
		factors[0], factors[len(factors)-1] = factors[0][1:], strings.TrimSuffix(factors[len(factors)-1], ")")
		if strings.HasPrefix(s.Product, "(") && strings.HasSuffix(s.Product, ")") {
			rng.Shuffle(r, factors)
			s.Product = "(" + strings.Join(factors, ")*(") + ")"
		}
		return nil
	})
	tasktest.Same(t, polynomialMultiplication.Task(), "space is free", func(s *productItem) {
		s.Product = strings.ReplaceAll(s.Product, " ", "")
	})
	tasktest.Other(t, polynomialMultiplication.Task(), "numbers matter", func(s *productItem) {
		s.Product = "(" + s.Product + ")*(3 + 7*" + s.Variables[0] + ")"
	})
	tasktest.Variant(t, polynomialMultiplication.Task(), "a variable is its opposite", func(s *productItem, _ *rng.Rand) func(string) string {
		s.Product = regexp.MustCompile(`\b`+s.Variables[0]+`\b`).ReplaceAllString(s.Product, "(-"+s.Variables[0]+")")
		return func(string) string { return s.Solve() }
	})
}
