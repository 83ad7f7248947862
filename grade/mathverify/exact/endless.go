package exact

import (
	"math/big"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// A summer adds endless series.
type summer struct{ reader }

// endless adds an endless series: a geometric one with a variable as its ratio, the even powers
// of 1/k, or a quotient of polynomials whose parts cancel. It returns nil for any other.
func (s summer) endless(n *expr.Node) (*Form, error) {
	variable, body := n.Args[0].Name, n.Args[3]
	if ratio := ratioOf(body, variable); ratio != nil {
		return s.geometric(n, ratio)
	}
	from, err := s.Read(n.Args[1])
	if err != nil {
		return nil, err
	}
	first, ok := from.Number()
	if !ok || !first.IsInt() {
		return nil, nil
	}
	f, err := s.Read(body)
	if err != nil {
		return nil, err
	}
	over, under := s.polynomial(&Form{f.over, unity}, variable), s.polynomial(&Form{f.under, unity}, variable)
	if one(f.under) { // negative powers of the variable stand in the numerator
		over, under = s.withoutPoles(f, variable)
	}
	if over == nil || under == nil {
		return nil, nil
	}
	if len(over) == 1 && lone(under) && (len(under)-1)%2 == 0 && isOne(first) {
		return s.zeta(int64(len(under)-1), new(big.Rat).Quo(over[0], under[len(under)-1]))
	}
	if len(under)-len(over) < 2 {
		return nil, nil
	}
	return s.telescope(over, under, first)
}

// ratioOf returns the ratio of a product of powers with exponents linear in a variable; nil for
// any other expression, and for a number as the ratio.
func ratioOf(n *expr.Node, variable string) *expr.Node {
	switch n.Op {
	case expr.Neg:
		return ratioOf(n.Args[0], variable)
	case expr.Mul:
		var ratio *expr.Node
		for _, arg := range n.Args {
			if !arg.Mentions(variable) {
				continue
			}
			if ratio != nil {
				return nil
			}
			if ratio = ratioOf(arg, variable); ratio == nil {
				return nil
			}
		}
		return ratio
	case expr.Pow:
		base, exponent := n.Args[0], n.Args[1]
		if base.Mentions(variable) || !base.Has(expr.Symbol) {
			return nil
		}
		step := slope(exponent, variable)
		if step == 0 {
			return nil
		}
		return expr.New(expr.Pow, base, expr.Int(step))
	}
	return nil
}

// slope returns the factor of a variable in k, 2k, k+1 and the like, or 0.
func slope(n *expr.Node, variable string) int64 {
	switch {
	case n.Op == expr.Symbol && n.Name == variable:
		return 1
	case n.Op == expr.Add && !n.Args[len(n.Args)-1].Mentions(variable) && len(n.Args) == 2:
		return slope(n.Args[0], variable)
	case n.Op == expr.Mul && len(n.Args) == 2 && n.Args[0].Op == expr.Number && n.Args[0].Value.IsInt() && n.Args[0].Value.Num().BitLen() < 8:
		return n.Args[0].Value.Num().Int64() * slope(n.Args[1], variable)
	}
	return 0
}

// geometric returns first/(1-ratio).
func (s summer) geometric(n, ratio *expr.Node) (*Form, error) {
	first := n.Args[3].Replace(n.Args[0].Name, n.Args[1])
	return s.Read(expr.New(expr.Div, first, expr.New(expr.Add, expr.Int(1), expr.New(expr.Neg, ratio))))
}

// polynomial returns the coefficients of a polynomial with numbers as coefficients, by degree;
// nil if f is none.
func (s summer) polynomial(f *Form, variable string) []*big.Rat {
	parts := s.collect(f, variable)
	if parts == nil {
		return nil
	}
	var all []*big.Rat
	for degree, part := range parts {
		c, ok := part.number()
		if !ok || degree < 0 || degree > maxDegree {
			return nil
		}
		for int64(len(all)) <= degree {
			all = append(all, new(big.Rat))
		}
		all[degree] = c
	}
	return all
}

// withoutPoles multiplies a sum of negative powers by the greatest of them.
func (s summer) withoutPoles(f *Form, variable string) (over, under []*big.Rat) {
	lowest := int64(0)
	for degree := range s.collect(f, variable) {
		lowest = min(lowest, degree)
	}
	if lowest == 0 || lowest < -maxDegree {
		return nil, nil
	}
	power, err := s.Pow(s.variable(variable), wholeForm(-lowest))
	if err != nil {
		return nil, nil
	}
	product, err := s.Times(f, power)
	if err != nil {
		return nil, nil
	}
	under = make([]*big.Rat, 1-lowest)
	for i := range under {
		under[i] = new(big.Rat)
	}
	under[-lowest].SetInt64(1)
	return s.polynomial(product, variable), under
}

// lone reports whether only the last coefficient is not zero.
func lone(p []*big.Rat) bool {
	for _, c := range p[:len(p)-1] {
		if c.Sign() != 0 {
			return false
		}
	}
	return true
}

// zeta returns the sum of c/k^m over all k from 1, for even m: a multiple of π^m.
func (s summer) zeta(m int64, c *big.Rat) (*Form, error) {
	if m == 0 {
		return nil, nil
	}
	b := new(big.Rat).Abs(bernoulli(m)[m])
	b.Mul(b, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(m-1))))
	b.Mul(b, inverseFactorial(m))
	power, err := s.Pow(s.form(atom{name: "pi"}), wholeForm(m))
	if err != nil {
		return nil, err
	}
	return &Form{power.over.scale(b.Mul(b, c)), unity}, nil
}

// maxPole bounds the poles that we try: fractions with denominators up to 3.
const maxPole = 40

// telescope adds over/under for all k from first. The poles must be simple, rational and before
// first, and those that differ by whole numbers must cancel.
func (s summer) telescope(over, under []*big.Rat, first *big.Rat) (*Form, error) {
	if err := s.Budget.Spend(8 * maxPole * len(under)); err != nil {
		return nil, err
	}
	poles := polesOf(under, first)
	if len(poles) != len(under)-1 {
		return nil, nil
	}
	sum := new(big.Rat)
	lowest, weights := map[string]*big.Rat{}, map[string]*big.Rat{} // of the poles that differ by whole numbers
	for i, pole := range poles {
		weight := new(big.Rat).Quo(value(over, pole), under[len(under)-1])
		for j, other := range poles {
			if i != j {
				weight.Quo(weight, new(big.Rat).Sub(pole, other))
			}
		}
		class := new(big.Rat).Sub(pole, floor(pole)).RatString()
		start := new(big.Rat).Sub(first, pole)
		if lowest[class] == nil { // polesOf returns the greatest pole first
			lowest[class], weights[class] = start, new(big.Rat)
		}
		weights[class].Add(weights[class], weight)
		for at := new(big.Rat).Set(lowest[class]); at.Cmp(start) < 0; at.Add(at, big.NewRat(1, 1)) {
			sum.Sub(sum, new(big.Rat).Quo(weight, at))
		}
	}
	for _, rest := range weights {
		if rest.Sign() != 0 {
			return nil, nil
		}
	}
	return numberForm(sum), nil
}

// polesOf returns the rational zeros of a polynomial before first, in descending order.
func polesOf(p []*big.Rat, first *big.Rat) (poles []*big.Rat) {
	const scale = 6 // the least common multiple of the denominators
	for over := int64(maxPole * scale); over >= -maxPole*scale; over-- {
		if over%2 != 0 && over%3 != 0 {
			continue
		}
		if x := big.NewRat(over, scale); x.Cmp(first) < 0 && value(p, x).Sign() == 0 {
			poles = append(poles, x)
		}
	}
	return poles
}

// value returns the value of a polynomial.
func value(p []*big.Rat, x *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i := len(p) - 1; i >= 0; i-- {
		sum.Add(sum.Mul(sum, x), p[i])
	}
	return sum
}
