package arithmetic

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// mostVariables limits the variables of a polynomial.
const mostVariables = 6

// A monomial lists the exponents of the variables, in their order.
type monomial [mostVariables]uint16

// degree is the sum of the exponents.
func (m monomial) degree() (sum int) {
	for _, e := range m {
		sum += int(e)
	}
	return sum
}

// times returns m·n.
func (m monomial) times(n monomial) monomial {
	for i, e := range n {
		m[i] += e
	}
	return m
}

// A polynomial maps each monomial to its nonzero coefficient.
type polynomial map[monomial]*big.Rat

// Limits of the reader. Products within the tasks' settings stay below them.
const (
	maxExponent = 1000
	maxTerms    = maxProduct
	maxBits     = 4096 // of a coefficient
)

var errLarge = errors.New("it is too large")

// add adds c·m.
func (p polynomial) add(m monomial, c *big.Rat) error {
	if old, ok := p[m]; ok {
		c = plusTerm(old, c)
	}
	if c.Sign() == 0 {
		delete(p, m)
		return nil
	}
	p[m] = c
	if m.degree() > maxExponent || len(p) > maxTerms || c.Num().BitLen()+c.Denom().BitLen() > maxBits {
		return errLarge
	}
	return nil
}

// plusTerm returns c+d. Unlike [big.Rat.Add], it does not reduce whole numbers by a common
// divisor.
func plusTerm(c, d *big.Rat) *big.Rat {
	if c.IsInt() && d.IsInt() {
		return new(big.Rat).SetInt(new(big.Int).Add(c.Num(), d.Num()))
	}
	return new(big.Rat).Add(c, d)
}

// times returns c·d, without reducing whole numbers, like plus.
func times(c, d *big.Rat) *big.Rat {
	if c.IsInt() && d.IsInt() {
		return new(big.Rat).SetInt(new(big.Int).Mul(c.Num(), d.Num()))
	}
	return new(big.Rat).Mul(c, d)
}

// plusTerm adds all terms of q.
func (p polynomial) plus(q polynomial) error {
	for m, c := range q {
		if err := p.add(m, c); err != nil {
			return err
		}
	}
	return nil
}

// times returns p·q.
func (p polynomial) times(q polynomial) (polynomial, error) {
	product := polynomial{}
	for m, c := range p {
		for n, d := range q {
			if err := product.add(m.times(n), times(c, d)); err != nil {
				return nil, err
			}
		}
	}
	return product, nil
}

// power returns p to the power of n, for n ≥ 0.
func (p polynomial) power(n int64) (polynomial, error) {
	result := constantTerm(big.NewRat(1, 1))
	for range n {
		var err error
		if result, err = result.times(p); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// number returns the value of a polynomial without variables.
func (p polynomial) number() (value *big.Rat, ok bool) {
	if len(p) == 0 {
		return new(big.Rat), true
	}
	value, ok = p[monomial{}]
	return value, ok && len(p) == 1
}

// equal reports whether two polynomials are the same.
func (p polynomial) equal(q polynomial) bool {
	return maps.EqualFunc(p, q, func(c, d *big.Rat) bool { return c.Cmp(d) == 0 })
}

// constantTerm returns a number as a polynomial.
func constantTerm(c *big.Rat) polynomial {
	p := polynomial{}
	if c.Sign() != 0 {
		p[monomial{}] = c
	}
	return p
}

// text writes the polynomial as SymPy does, highest powers first.
func (p polynomial) text(variables []string) string {
	monomials := slices.SortedFunc(maps.Keys(p), func(a, b monomial) int {
		return cmp.Or(cmp.Compare(b.degree(), a.degree()), slices.Compare(b[:], a[:]))
	})
	var b []byte
	for _, m := range monomials {
		c := p[m]
		switch {
		case b != nil && c.Sign() < 0:
			b = append(b, " - "...)
		case b != nil:
			b = append(b, " + "...)
		case c.Sign() < 0:
			b = append(b, '-')
		}
		abs := new(big.Rat).Abs(c).RatString()
		if abs != "1" || m.degree() == 0 {
			b = append(b, abs...)
		}
		written := abs != "1"
		for i, v := range variables {
			if m[i] == 0 {
				continue
			}
			if written {
				b = append(b, '*')
			}
			b, written = appendPower(b, v, int(m[i])), true
		}
	}
	if b == nil {
		return "0"
	}
	return string(b)
}

// A reader turns trees into polynomials.
type reader struct {
	variables []string
	multiply  bool // expand products of sums
}

// errBrackets reports a product of sums.
var errBrackets = errors.New("a bracket is still to be multiplied")

// read returns the polynomial of a tree.
func (r reader) read(n *expr.Node) (polynomial, error) {
	switch n.Op {
	case expr.Number:
		return constantTerm(n.Value), nil
	case expr.Symbol:
		at := slices.Index(r.variables, n.Name)
		if at < 0 {
			return nil, fmt.Errorf("%.20q is none of its variables", n.Name)
		}
		var m monomial
		m[at] = 1
		return polynomial{m: big.NewRat(1, 1)}, nil
	case expr.Add:
		return r.sum(n.Args)
	case expr.Neg:
		return r.fold(n.Args, constantTerm(big.NewRat(-1, 1)), r.times)
	case expr.Mul:
		return r.fold(n.Args, constantTerm(big.NewRat(1, 1)), r.times)
	case expr.Div, expr.Pow:
		p, err := r.read(n.Args[0])
		if err != nil {
			return nil, err
		}
		q, err := r.read(n.Args[1])
		if err != nil {
			return nil, err
		}
		if n.Op == expr.Div {
			return quotientOf(p, q)
		}
		return r.power(p, q)
	}
	return nil, errors.New("it is not a polynomial")
}

// sumOf reads the terms of a sum.
func (r reader) sum(terms []*expr.Node) (polynomial, error) {
	sum := polynomial{}
	for _, n := range terms {
		m, c, ok := r.term(n)
		if ok {
			if err := sum.add(m, c); err != nil {
				return nil, err
			}
			continue
		}
		p, err := r.read(n)
		if err != nil {
			return nil, err
		}
		if err := sum.plus(p); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// term reads a number times powers of variables, the form of terms in an expanded sum,
// without a polynomial for each factor. is is false for anything else; use read for that.
func (r reader) term(n *expr.Node) (m monomial, c *big.Rat, ok bool) {
	negative := n.Op == expr.Neg
	if negative {
		n = n.Args[0]
	}
	factors := []*expr.Node{n}
	if n.Op == expr.Mul {
		factors = n.Args
	}
	for _, f := range factors {
		power := int64(1)
		if f.Op == expr.Pow && f.Args[1].Op == expr.Number && f.Args[1].Value.IsInt() && f.Args[1].Value.Num().IsInt64() {
			power = f.Args[1].Value.Num().Int64()
			f = f.Args[0]
		}
		at := slices.Index(r.variables, f.Name)
		switch {
		case f.Op == expr.Number && c == nil && power == 1:
			c = f.Value
		case f.Op == expr.Symbol && at >= 0 && 0 <= power && power <= maxExponent && m.degree() <= maxExponent:
			m[at] += uint16(power)
		default:
			return m, nil, false
		}
	}
	if c == nil {
		c = big.NewRat(1, 1)
	}
	if negative {
		c = new(big.Rat).Neg(c)
	}
	return m, c, true
}

// fold combines the polynomials of nodes with join, beginning with first.
func (r reader) fold(nodes []*expr.Node, first polynomial, join func(p, q polynomial) (polynomial, error)) (polynomial, error) {
	for _, n := range nodes {
		p, err := r.read(n)
		if err != nil {
			return nil, err
		}
		if first, err = join(first, p); err != nil {
			return nil, err
		}
	}
	return first, nil
}

func (r reader) times(p, q polynomial) (polynomial, error) {
	_, number := p.number()
	_, number2 := q.number()
	if !r.multiply && !number && !number2 && len(p)+len(q) > 2 {
		return nil, errBrackets
	}
	return p.times(q)
}

// quotientOf divides by a number.
func quotientOf(p, q polynomial) (polynomial, error) {
	by, ok := q.number()
	if !ok || by.Sign() == 0 {
		return nil, errors.New("it divides by 0, or by something other than a number")
	}
	return p.times(constantTerm(new(big.Rat).Inv(by)))
}

// power raises p to a power, a whole number.
func (r reader) power(p, q polynomial) (polynomial, error) {
	n, ok := q.number()
	if !ok || !n.IsInt() || n.Sign() < 0 || n.Cmp(big.NewRat(maxExponent, 1)) > 0 {
		return nil, fmt.Errorf("it has an exponent other than a whole number from 0 to %d", maxExponent)
	}
	if !r.multiply && len(p) > 1 && n.Num().Int64() > 1 {
		return nil, errBrackets
	}
	return p.power(n.Num().Int64())
}
