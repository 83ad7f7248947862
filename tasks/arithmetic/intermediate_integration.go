package arithmetic

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// intermediateIntegration asks for an antiderivative by substitution or by parts.
var intermediateIntegration = task.Spec[intermediateIntegrationParams, intermediateIntegrationItem]{
	Name:     "intermediate_integration",
	Category: "algebra",
	Doc: "Integrate a function of one of eight kinds: powers and roots of linear expressions, logarithms and inverse functions, products of sines and cosines, " +
		"integration by parts, exponentials to be substituted. An answer is right if its derivative is the given function.",
	Source:  "Elementary calculus; the settings are those of reasoning-gym.",
	Version: 4,
	Many:    true,
	Default: intermediateIntegrationParams{allKinds, evenly(8), 1, 10, 2, 4, 1, 3, 1, 3, "x", []string{"+", "-"}},
	Levels: []intermediateIntegrationParams{
		{[]string{"linear", "radical"}, evenly(2), 1, 9, 2, 3, 1, 9, 1, 1, "xt", []string{"+", "-"}},
		{[]string{"linear", "radical", "trigonometric", "exponential"}, evenly(4), 1, 12, 2, 4, 1, 40, 1, 1, "xtuyz", []string{"+", "-"}},
		{allKinds[:6], evenly(6), 1, 12, 2, 5, 1, 60, 1, 2, "xtuyz", []string{"+", "-"}},
		{allKinds, evenly(8), 1, 16, 2, 5, 1, 60, 1, 3, "xtuyz", []string{"+", "-"}},
		{allKinds[2:], evenly(6), 2, 20, 3, 6, 1, 60, 2, 4, "xtuyz", []string{"+", "-"}},
		{allKinds[4:], evenly(4), 3, 24, 3, 6, 2, 60, 4, 5, "xtuyz", []string{"+", "-"}},
	},
	Make: makeIntermediateIntegration,
}

// evenly returns n equal weights.
func evenly(n int) []float64 {
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = 1 / float64(n)
	}
	return weights
}

// intermediateIntegrationParams are the settings of one difficulty.
type intermediateIntegrationParams struct {
	Kinds     []string  `json:"problem_types"`
	Weights   []float64 `json:"problem_type_weights"`                // shares of the kinds
	MinLinear int       `json:"linear_lower_bound" want:"1 or more"` // of coefficients inside functions, unsigned
	MaxLinear int       `json:"linear_upper_bound" want:"linear_lower_bound to 50"`
	MinDegree int       `json:"min_linear_degree" want:"1 or more"` // of powers of linear expressions, sines and cosines
	MaxDegree int       `json:"max_linear_degree" want:"min_linear_degree to 20"`
	MinOuter  int       `json:"outer_constant_min" want:"1 or more"` // of the factor in front, unsigned
	MaxOuter  int       `json:"outer_constant_max" want:"outer_constant_min to 1000"`
	MinPoly   int       `json:"min_poly_degree" want:"1 or more"` // of the polynomial factor in integration by parts; repeated_parts has 3 or more
	MaxPoly   int       `json:"max_poly_degree" want:"min_poly_degree to 5"`
	Symbols   string    `json:"symbols"`                                // variables to choose from
	Operators []string  `json:"operators" want:"1 or more" oneof:"+ -"` // signs of the coefficients
}

// Check refuses what no tag does.
func (p intermediateIntegrationParams) Check() error {
	for _, kind := range p.Kinds {
		if kinds[kind] == nil {
			return fmt.Errorf("problem_types has %q, want one of %s", kind, strings.Join(slices.Sorted(maps.Keys(kinds)), ", "))
		}
		if kind == "repeated_parts" && p.MaxPoly < 3 {
			return fmt.Errorf("max_poly_degree is %d, want 3 or more for repeated_parts", p.MaxPoly)
		}
	}
	if err := task.CheckWeights("problem_type", len(p.Kinds), p.Weights); err != nil {
		return err
	}
	return checkSymbols("symbols", strings.Split(p.Symbols, "")...)
}

// intermediateIntegrationItem is one integral.
type intermediateIntegrationItem struct {
	integral
	Kind string `json:"problem_type"`
}

// makeIntermediateIntegration draws a kind, and an integral of that kind.
func makeIntermediateIntegration(p intermediateIntegrationParams, r *rng.Rand) (intermediateIntegrationItem, error) {
	kind := p.Kinds[task.Weighted(p.Weights, r.Float())]
	x := rng.Pick(r, strings.Split(p.Symbols, ""))
	integrand, answer := kinds[kind](&drawing{p, r, x})
	item := intermediateIntegrationItem{newIntegral(x, integrand, answer), kind}
	item.Phrasing = r.Between(0, len(integralPhrasings)-1)
	return item, nil
}

// A drawing draws the parts of an integral.
type drawing struct {
	p intermediateIntegrationParams
	*rng.Rand
	x string // the variable
}

// outer draws the signed factor in front.
func (d *drawing) outer() int64 {
	return sign(d.p.Operators, d.Rand) * int64(d.Between(d.p.MinOuter, d.p.MaxOuter))
}

// inner draws a positive coefficient inside a function.
func (d *drawing) inner() int64 { return int64(d.Between(d.p.MinLinear, d.p.MaxLinear)) }

// linear draws an expression a·x + b.
func (d *drawing) linear() (a, b int64) {
	return sign(d.p.Operators, d.Rand) * d.inner(), sign(d.p.Operators, d.Rand) * d.inner()
}

// line writes a·x + b.
func (d *drawing) line(a, b int64) string {
	return sumOf{{a, 1, 1, ""}, {b, 1, 0, ""}}.text(d.x)
}

// one returns the sum of one term c·factor/under.
func one(c, under int64, factor string) sumOf { return sumOf{}.plus(term{c, under, 0, factor}) }

// allKinds are the kinds of integrals, in the order of reasoning-gym.
var allKinds = []string{"linear", "radical", "log_inverse_trig", "trigonometric", "polynomial_exp_trig", "exponential", "cyclic", "repeated_parts"}

// kinds draw integrands with their antiderivatives.
var kinds = map[string]func(d *drawing) (integrand, answer sumOf){
	"linear": func(d *drawing) (sumOf, sumOf) {
		a, b := d.linear()
		return linearPower(d.outer(), a, d.line(a, b), d.Between(d.p.MinDegree, d.p.MaxDegree))
	},
	"radical": func(d *drawing) (sumOf, sumOf) {
		a, b := d.linear()
		return halfPower(d.outer(), a, d.line(a, b), rng.Pick(d.Rand, []int64{-1, 1, 1, 3}))
	},
	"log_inverse_trig": (*drawing).logInverse,
	"trigonometric":    (*drawing).trigonometric,
	"polynomial_exp_trig": func(d *drawing) (sumOf, sumOf) {
		f, a := rng.Pick(d.Rand, []string{"exp", "sin", "cos"}), d.inner()
		high, c, b := d.Between(d.p.MinPoly, d.p.MaxPoly), d.outer(), d.outer()
		first, second := product{c, high, f, a}, product{b, high - 1, f, a}
		return sumOf{d.term(first), d.term(second)}, d.parts(d.parts(nil, first), second)
	},
	"exponential": func(d *drawing) (sumOf, sumOf) {
		a, b := d.linear()
		inside := sumOf{{a, 1, 2, ""}, {b, 1, 1, ""}, {sign(d.p.Operators, d.Rand) * d.inner(), 1, 0, ""}}.text(d.x)
		c := d.outer()
		return one(c, 1, "("+d.line(2*a, b)+")*exp("+inside+")"), one(c, 1, "exp("+inside+")")
	},
	"cyclic": (*drawing).cyclic,
	"repeated_parts": func(d *drawing) (sumOf, sumOf) {
		f, a := rng.Pick(d.Rand, []string{"exp", "sin", "cos"}), d.inner()
		n, c := d.Between(max(3, d.p.MinPoly), d.p.MaxPoly), d.outer()
		return sumOf{d.term(product{c, n, f, a})}, d.parts(nil, product{c, n, f, a})
	},
}

// linearPower integrates c·u^n for a linear u with slope a.
func linearPower(c, a int64, u string, n int) (integrand, answer sumOf) {
	power := func(n int) string {
		if n == 1 {
			return "(" + u + ")"
		}
		return fmt.Sprintf("(%s)**%d", u, n)
	}
	return one(c, 1, power(n)), one(c, a*int64(n+1), power(n+1))
}

// halfPower integrates c·u^(n/2) for a linear u with slope a; n is -1, 1 or 3.
func halfPower(c, a int64, u string, n int64) (integrand, answer sumOf) {
	power := func(n int64) string {
		if n == 1 {
			return "sqrt(" + u + ")"
		}
		return fmt.Sprintf("(%s)**(%d/2)", u, n)
	}
	return one(c, 1, power(n)), one(2*c, a*(n+2), power(n+2))
}

// logInverse integrates a logarithm, or an inverse function of a multiple of x.
func (d *drawing) logInverse() (integrand, answer sumOf) {
	const steep = 4 // keeps the domain of an arc sine wide enough
	c, f := d.outer(), rng.Pick(d.Rand, []string{"log", "asin", "acos", "atan"})
	if f == "log" {
		a, b := d.linear()
		u := d.line(a, b)
		return one(c, 1, "log("+u+")"), one(c, a, "("+u+")*log("+u+")").plus(term{-c, 1, 1, ""})
	}
	a := min(d.inner(), steep)
	call := f + "(" + sumOf{{a, 1, 1, ""}}.text(d.x) + ")"
	answer = sumOf{{c, 1, 1, call}}
	switch f {
	case "atan":
		answer = answer.plus(term{-c, 2 * a, 0, "log(" + sumOf{{a * a, 1, 2, ""}, {1, 1, 0, ""}}.text(d.x) + ")"})
	default:
		if f == "acos" {
			c = -c
		}
		answer = answer.plus(term{c, a, 0, "sqrt(" + sumOf{{1, 1, 0, ""}, {-a * a, 1, 2, ""}}.text(d.x) + ")"})
	}
	return one(answer[0].over, 1, call), answer
}

// trigonometric integrates a power of sine or cosine times the other, or a square.
func (d *drawing) trigonometric() (integrand, answer sumOf) {
	a, b := d.linear()
	u, c := d.line(a, b), d.outer()
	n := int64(d.Between(d.p.MinDegree, d.p.MaxDegree))
	power := func(f string, n int64) string {
		if n == 1 {
			return f + "(" + u + ")"
		}
		return fmt.Sprintf("%s(%s)**%d", f, u, n)
	}
	half, both := sumOf{term{c, 2, 1, ""}.reduced()}, power("sin", 1)+"*"+power("cos", 1)
	switch d.Between(0, 3) {
	case 0:
		return one(c, 1, power("sin", 2)), half.plus(term{-c, 2 * a, 0, both})
	case 1:
		return one(c, 1, power("cos", 2)), half.plus(term{c, 2 * a, 0, both})
	case 2:
		return one(c, 1, power("sin", n)+"*"+power("cos", 1)), one(c, a*(n+1), power("sin", n+1))
	}
	return one(c, 1, power("sin", 1)+"*"+power("cos", n)), one(-c, a*(n+1), power("cos", n+1))
}

// A product is c·x^n·f(a·x).
type product struct {
	c int64
	n int
	f string
	a int64
}

// term returns a product as a term.
func (d *drawing) term(p product) term {
	return term{p.c, 1, p.n, p.f + "(" + sumOf{{p.a, 1, 1, ""}}.text(d.x) + ")"}
}

// next maps a function to its antiderivative, up to a factor.
var next = map[string]struct {
	sign int64
	f    string
}{"exp": {1, "exp"}, "sin": {-1, "cos"}, "cos": {1, "sin"}}

// parts adds the antiderivative of a product to done. Each step differentiates x^n and
// integrates f.
func (d *drawing) parts(done sumOf, p product) sumOf {
	under := int64(1)
	for ; p.n >= 0; p.n-- {
		under *= p.a
		p.c *= next[p.f].sign
		p.f = next[p.f].f
		t := d.term(p)
		t.under = under
		done = done.plus(t)
		p.c *= -int64(p.n)
	}
	return done
}

// cyclic integrates c·exp(a·x) times a sine or cosine of b·x.
func (d *drawing) cyclic() (integrand, answer sumOf) {
	c, a, b := d.outer(), sign(d.p.Operators, d.Rand)*d.inner(), d.inner()
	exp := "exp(" + sumOf{{a, 1, 1, ""}}.text(d.x) + ")*"
	sin, cos := exp+"sin("+sumOf{{b, 1, 1, ""}}.text(d.x)+")", exp+"cos("+sumOf{{b, 1, 1, ""}}.text(d.x)+")"
	norm := a*a + b*b
	if d.Chance(0.5) {
		return one(c, 1, sin), one(c*a, norm, sin).plus(term{-c * b, norm, 0, cos})
	}
	return one(c, 1, cos), one(c*a, norm, cos).plus(term{c * b, norm, 0, sin})
}
