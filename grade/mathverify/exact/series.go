package exact

import (
	"errors"
	"math/big"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// big returns a sum, a product, an integral, a derivative or a limit: in closed form if
// it has one, else as an atom.
func (s reader) big(n *expr.Node) (*Form, error) {
	var f *Form
	var err error
	switch {
	case n.Name == "sum" || n.Name == "prod":
		f, err = s.series(n)
	case n.Name == "int" && len(n.Args) == 4:
		f, err = s.integral(n)
	case n.Name == "diff":
		return s.derivative(n)
	case strings.HasPrefix(n.Name, "lim"):
		return limiter{s}.limit(n)
	default:
		err = ErrForm
	}
	if f != nil || err != nil && !errors.Is(err, ErrForm) {
		return f, err
	}
	return s.unsolved(n)
}

// unsolved returns an atom for an expression without a closed form here. Its bound
// variable gets a name that nothing else has.
func (s reader) unsolved(n *expr.Node) (*Form, error) {
	variable := n.Args[0].Name
	var args []*Form
	for i, arg := range n.Args[1:] {
		if i == len(n.Args)-2 {
			arg = arg.Replace(variable, expr.Var(" "))
		}
		if arg.Op == expr.Constant && arg.Name == "inf" {
			arg = expr.Var(" inf")
		}
		f, err := s.Read(arg)
		if err != nil {
			return nil, err
		}
		args = append(args, f)
	}
	name := n.Name
	if len(n.Args) == 2 {
		name += " " + variable
	}
	return s.form(atom{name: argText(name, args)}), nil
}

// maxTerms is the greatest number of terms that we add one by one.
const maxTerms = 1000

// series adds or multiplies over a range: a polynomial by formulas, a short range term by
// term. For any other it returns nil.
func (s reader) series(n *expr.Node) (*Form, error) {
	if infinity(n.Args[2]) == 1 {
		if n.Name == "sum" {
			return summer{s}.endless(n)
		}
		return nil, nil
	}
	variable, body := n.Args[0].Name, n.Args[3]
	from, err := s.Read(n.Args[1])
	if err != nil {
		return nil, err
	}
	to, err := s.Read(n.Args[2])
	if err != nil {
		return nil, err
	}
	a, isNumber := from.Number()
	b, isNumber2 := to.Number()
	if isNumber && isNumber2 && a.IsInt() && b.IsInt() {
		count := new(big.Int).Sub(b.Num(), a.Num())
		if count.Sign() < 0 || count.IsInt64() && count.Int64() < maxTerms {
			return s.termByTerm(n, a.Num().Int64(), b.Num().Int64())
		}
	}
	if n.Name == "prod" || !isNumber || !a.IsInt() {
		return nil, nil
	}
	p, err := s.Read(body)
	if err != nil {
		return nil, err
	}
	upper, err := s.powerSums(p, variable, to)
	if upper == nil || err != nil {
		return nil, err
	}
	lower, err := s.powerSums(p, variable, numberForm(new(big.Rat).Sub(a, big.NewRat(1, 1))))
	if err != nil {
		return nil, err
	}
	return s.Minus(upper, lower)
}

// termByTerm adds or multiplies the body for each value of the variable.
func (s reader) termByTerm(n *expr.Node, from, to int64) (*Form, error) {
	op := expr.Add
	if n.Name == "prod" {
		op = expr.Mul
	}
	all := expr.New(op)
	for k := from; k <= to; k++ {
		if err := s.Budget.Spend(1); err != nil {
			return nil, err
		}
		all.Args = append(all.Args, n.Args[3].Replace(n.Args[0].Name, expr.Int(k)))
	}
	if len(all.Args) == 0 {
		return wholeForm(int64(op - expr.Add)), nil
	}
	return s.Read(all)
}

// maxDegree is the greatest degree of a polynomial that we sum by formulas.
const maxDegree = 20

// powerSums sums a polynomial in a variable from 1 to n by Faulhaber's formulas; nil if f
// is not a polynomial in it.
func (s reader) powerSums(f *Form, variable string, n *Form) (*Form, error) {
	parts := s.collect(f, variable)
	if parts == nil {
		return nil, nil
	}
	sum := wholeForm(0)
	for degree, part := range parts {
		if degree < 0 || degree > maxDegree {
			return nil, nil
		}
		total, err := s.faulhaber(degree, n)
		if err != nil {
			return nil, err
		}
		if total, err = s.Times(total, &Form{part, unity}); err != nil {
			return nil, err
		}
		if sum, err = s.Plus(sum, total); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// collect splits a polynomial by the powers of a variable; nil if the variable also
// occurs elsewhere.
func (s reader) collect(f *Form, variable string) map[int64]poly {
	if !one(f.under) {
		return nil
	}
	id := s.intern(atom{name: "var " + variable})
	parts := map[int64]poly{}
	for _, t := range f.over {
		degree := int64(0)
		var others []power
		for _, p := range t.powers {
			a := s.atoms[p.atom]
			switch {
			case p.atom == id && p.exp.under != 1:
				return nil
			case p.atom == id:
				degree = p.exp.over
			case !a.variable() && a.prime == nil && a.name != "pi" && a.name != "e":
				return nil
			default:
				others = append(others, p)
			}
		}
		if parts[degree] == nil {
			parts[degree] = poly{}
		}
		parts[degree].add(term{others, t.coef})
	}
	return parts
}

// faulhaber returns 1^m + … + n^m as a polynomial in n.
func (s reader) faulhaber(m int64, n *Form) (*Form, error) {
	numbers := bernoulli(m)
	sum := wholeForm(0)
	for j := range m + 1 {
		c := new(big.Rat).SetInt(new(big.Int).Binomial(m+1, j))
		c.Mul(c, numbers[j])
		c.Quo(c, big.NewRat(m+1, 1))
		f, err := s.Pow(n, wholeForm(m+1-j))
		if err != nil {
			return nil, err
		}
		if sum, err = s.Plus(sum, &Form{f.over.scale(c), f.under}); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// bernoulli returns the Bernoulli numbers up to m, with B₁ = +1/2.
func bernoulli(m int64) []*big.Rat {
	numbers := make([]*big.Rat, m+1)
	for i := range numbers {
		sum := new(big.Rat)
		for j, b := range numbers[:i] {
			c := new(big.Rat).SetInt(new(big.Int).Binomial(int64(i)+1, int64(j)))
			sum.Add(sum, c.Mul(c, b))
		}
		numbers[i] = sum.Quo(sum.Sub(big.NewRat(int64(i)+1, 1), sum), big.NewRat(int64(i)+1, 1))
	}
	return numbers
}

// integral integrates a polynomial between two bounds; nil for other integrands.
func (s reader) integral(n *expr.Node) (*Form, error) {
	f, err := s.Read(n.Args[3])
	if err != nil {
		return nil, err
	}
	parts := s.collect(f, n.Args[0].Name)
	if parts == nil {
		return nil, nil
	}
	sum := wholeForm(0)
	for degree, part := range parts {
		if degree < 0 {
			return nil, nil
		}
		part = part.scale(big.NewRat(1, degree+1))
		for i, bound := range []*expr.Node{n.Args[2], n.Args[1]} {
			at, err := s.Read(expr.New(expr.Pow, bound, expr.Int(degree+1)))
			if err != nil {
				return nil, err
			}
			if i == 1 {
				at.over = at.over.negative()
			}
			if at, err = s.Times(at, &Form{part, unity}); err != nil {
				return nil, err
			}
			if sum, err = s.Plus(sum, at); err != nil {
				return nil, err
			}
		}
	}
	return sum, nil
}

// derivative differentiates n, if it can.
func (s reader) derivative(n *expr.Node) (*Form, error) {
	d, err := expr.Diff(n.Args[1], n.Args[0].Name)
	if err != nil {
		return s.unsolved(n)
	}
	return s.Read(d)
}
