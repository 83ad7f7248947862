package arithmetic

import (
	"fmt"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// simpleIntegration asks for an antiderivative of a polynomial.
var simpleIntegration = task.Spec[simpleIntegrationParams, simpleIntegrationItem]{
	Name:     "simple_integration",
	Category: "algebra",
	Doc:      "Integrate a sum of powers of a variable with rational coefficients. An answer is right if its derivative is the given function.",
	Source:   "Elementary calculus; the settings are those of reasoning-gym.",
	Version:  4,
	Many:     true,
	Default:  simpleIntegrationParams{2, 5, 1, 10, 1, 10, []string{"+", "-"}, []string{"x", "X"}},
	Levels: []simpleIntegrationParams{
		{2, 2, 1, 4, 1, 9, []string{"+", "-"}, []string{"x", "t"}},
		{2, 3, 1, 5, 1, 9, []string{"+", "-"}, []string{"x", "t", "z"}},
		{2, 3, 1, 7, 1, 12, []string{"+", "-"}, []string{"x", "t", "z"}},
		{2, 5, 1, 10, 1, 20, []string{"+", "-"}, []string{"x", "X"}},
		{4, 7, -6, 10, 2, 40, []string{"+", "-"}, []string{"x", "X", "u", "r"}},
		{7, 10, -12, 20, 10, 99, []string{"+", "-"}, []string{"x", "X", "u", "r"}},
	},
	Make: makeSimpleIntegration,
}

// simpleIntegrationParams are the settings of one difficulty.
type simpleIntegrationParams struct {
	MinTerms  int      `json:"min_terms" want:"1 or more"` // at most the number of degrees
	MaxTerms  int      `json:"max_terms" want:"min_terms or more"`
	MinDegree int      `json:"min_degree" want:"-100 or more"` // of the antiderivative; 0 does not occur
	MaxDegree int      `json:"max_degree" want:"min_degree to 100"`
	MinBounds int      `json:"min_bounds" want:"1 or more"` // of numerator and denominator of the antiderivative's coefficients
	MaxBounds int      `json:"max_bounds" want:"min_bounds to 1000000"`
	Operators []string `json:"operators" want:"1 or more" oneof:"+ -"` // signs of the terms
	Symbols   []string `json:"symbols"`                                // variables to choose from
}

// Check refuses what no tag does.
func (p simpleIntegrationParams) Check() error {
	if p.MinDegree == 0 && p.MaxDegree == 0 {
		return fmt.Errorf("max_degree is 0, and so is min_degree: want another degree")
	}
	return checkSymbols("symbols", p.Symbols...)
}

// simpleIntegrationItem is one integral.
type simpleIntegrationItem struct {
	integral
	Terms int `json:"num_terms"`
}

// makeSimpleIntegration draws an antiderivative, and differentiates it.
func makeSimpleIntegration(p simpleIntegrationParams, r *rng.Rand) (simpleIntegrationItem, error) {
	var degrees []int
	for degree := p.MaxDegree; degree >= p.MinDegree; degree-- {
		if degree != 0 {
			degrees = append(degrees, degree)
		}
	}
	left := min(r.Between(p.MinTerms, p.MaxTerms), len(degrees))
	item := simpleIntegrationItem{Terms: left}
	var integrand, answer sumOf
	for i, degree := range degrees { // each choice of degrees is equally likely
		if r.Between(1, len(degrees)-i) > left {
			continue
		}
		left--
		over := sign(p.Operators, r) * int64(r.Between(p.MinBounds, p.MaxBounds))
		under := int64(1)
		if r.Chance(0.5) {
			under = int64(r.Between(p.MinBounds, p.MaxBounds))
		}
		answer = answer.plus(term{over, under, degree, ""})
		integrand = integrand.plus(term{over * int64(degree), under, degree - 1, ""})
	}
	item.integral = newIntegral(rng.Pick(r, p.Symbols), integrand, answer)
	item.Phrasing = r.Between(0, len(integralPhrasings)-1)
	return item, nil
}
