package mathverify

import (
	"errors"
	"math/big"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// maxPrec is the greatest precision in bits.
const maxPrec = 2400

// A calc evaluates expressions at one point.
type calc struct {
	*field
	at    map[string]ball // the values of the variables
	depth int
}

// maxDepth bounds the nesting of expressions.
const maxDepth = 400

// eval returns the value of n.
func (c *calc) eval(n *expr.Node) (ball, error) {
	if c.depth++; c.depth > maxDepth {
		return ball{}, errUnknown
	}
	defer func() { c.depth-- }()
	if err := c.budget.Spend(1); err != nil {
		return ball{}, err
	}
	switch n.Op {
	case expr.Number:
		return c.rational(n.Value)
	case expr.Symbol:
		value, ok := c.at[n.Name]
		if !ok {
			return ball{}, errUnknown
		}
		return value, nil
	case expr.Constant:
		return c.constant(n.Name)
	case expr.Neg:
		a, err := c.eval(n.Args[0])
		return c.negated(a, err)
	case expr.Add:
		return c.sum(n.Args)
	case expr.Mul:
		return c.fold(n.Args, c.mul)
	case expr.Div:
		return c.fold(n.Args, c.quo)
	case expr.Pow:
		return c.power(n)
	case expr.Apply:
		return c.apply(n)
	case expr.Big:
		return c.series(n)
	}
	return ball{}, errUnknown
}

func (c *calc) negated(a ball, err error) (ball, error) {
	if err != nil {
		return ball{}, err
	}
	return c.neg(a), nil
}

// sum evaluates and adds the arguments.
func (c *calc) sum(args []*expr.Node) (ball, error) {
	t := c.newTotal()
	for _, arg := range args {
		b, err := c.eval(arg)
		if err != nil {
			return ball{}, err
		}
		if err := t.plus(c.field, b); err != nil {
			return ball{}, err
		}
	}
	return t.ball(), nil
}

// fold evaluates the arguments and combines them from left to right.
func (c *calc) fold(args []*expr.Node, join func(a, b ball) (ball, error)) (ball, error) {
	sum, err := c.eval(args[0])
	if err != nil {
		return ball{}, err
	}
	for _, arg := range args[1:] {
		b, err := c.eval(arg)
		if err != nil {
			return ball{}, err
		}
		if sum, err = join(sum, b); err != nil {
			return ball{}, err
		}
	}
	return sum, nil
}

func (c *calc) constant(name string) (ball, error) {
	switch name {
	case "pi":
		return c.rounded(c.float().Set(piOnce()), nil, exactly)
	case "e":
		return c.exp(c.whole(1))
	case "i", "I", "bold i":
		return ball{Re: c.float(), Im: c.float().SetInt64(1), Err: exactly}, nil
	}
	return ball{}, errUnknown
}

// power evaluates a power. An odd root of a negative number is negative. An even one is
// complex if it has no variable, else ErrDomain.
func (c *calc) power(n *expr.Node) (ball, error) {
	exponent, isNumber := rationalOf(n.Args[1])
	if n.Args[0].Op == expr.Constant && n.Args[0].Name == "e" && (!isNumber || !exponent.IsInt()) {
		b, err := c.eval(n.Args[1])
		if err != nil {
			return ball{}, err
		}
		return c.exp(b)
	}
	a, err := c.eval(n.Args[0])
	if err != nil {
		return ball{}, err
	}
	if isNumber {
		return c.rationalPower(n.Args[0], a, exponent)
	}
	b, err := c.eval(n.Args[1])
	if err != nil {
		return ball{}, err
	}
	if k, ok := wholeNumber(b); ok {
		return c.wholePower(a, k)
	}
	if a.real() && b.real() && a.Re.Sign() < 0 && (variable(n.Args[0]) || variable(n.Args[1])) {
		return ball{}, errDomain
	}
	return c.powComplex(a, b)
}

// rationalOf returns the value of an exponent written as a fraction of whole numbers.
func rationalOf(n *expr.Node) (*big.Rat, bool) {
	switch n.Op {
	case expr.Number:
		return n.Value, true
	case expr.Neg:
		if x, ok := rationalOf(n.Args[0]); ok {
			return new(big.Rat).Neg(x), true
		}
	case expr.Div:
		x, ok := rationalOf(n.Args[0])
		y, is2 := rationalOf(n.Args[1])
		if ok && is2 && y.Sign() != 0 {
			return new(big.Rat).Quo(x, y), true
		}
	}
	return nil, false
}

// wholeNumber returns the value of an exact ball that is a small whole number.
func wholeNumber(b ball) (int64, bool) {
	if !b.real() || b.Err > -64 || !b.Re.IsInt() || exponent(b.Re) > 40 {
		return 0, false
	}
	k, _ := b.Re.Int64()
	return k, true
}

// variable reports whether n has a variable.
func variable(n *expr.Node) bool { return n.Has(expr.Symbol) }

// rationalPower raises the value a of base to a rational power.
func (c *calc) rationalPower(base *expr.Node, a ball, x *big.Rat) (ball, error) {
	if !x.Num().IsInt64() || !x.Denom().IsInt64() {
		return ball{}, errUnknown
	}
	over, under := x.Num().Int64(), x.Denom().Int64()
	if under == 1 {
		return c.wholePower(a, over)
	}
	sign := 1
	if a.real() {
		var err error
		if sign, err = a.sign(); err != nil && !errors.Is(err, errPrecision) {
			return ball{}, err
		}
	}
	switch {
	case sign == 0 && over < 0:
		return ball{}, errUndefined
	case sign == 0:
		return a, nil
	case sign < 0 && under%2 == 1:
		r, err := c.rootPower(c.neg(a), x)
		if err != nil || over%2 == 0 {
			return r, err
		}
		return c.neg(r), nil
	case sign < 0 && variable(base):
		return ball{}, errDomain
	case sign < 0:
		a.Im = c.float()
	}
	return c.rootPower(a, x)
}

// rootPower raises a nonnegative or complex number to a rational power.
func (c *calc) rootPower(a ball, x *big.Rat) (ball, error) {
	if x.Denom().IsInt64() && x.Denom().Int64() == 2 && a.real() {
		root, err := c.sqrt(a)
		if err != nil {
			return ball{}, err
		}
		return c.wholePower(root, x.Num().Int64())
	}
	b, err := c.rational(x)
	if err != nil {
		return ball{}, err
	}
	return c.powComplex(a, b)
}

// wholePower multiplies a by itself.
func (c *calc) wholePower(a ball, k int64) (ball, error) {
	one := c.whole(1)
	if k < 0 {
		if k = -k; k < 0 {
			return ball{}, errUnknown
		}
		var err error
		if a, err = c.quo(one, a); err != nil {
			return ball{}, err
		}
	}
	if k == 0 && a.isExact() && exponent(a.Re) == exactly {
		return ball{}, errUndefined
	}
	r := one
	var err error
	for ; k > 0; k >>= 1 {
		if err := c.budget.Spend(1); err != nil {
			return ball{}, err
		}
		if k&1 == 1 {
			if r, err = c.mul(r, a); err != nil {
				return ball{}, err
			}
		}
		if k > 1 {
			if a, err = c.mul(a, a); err != nil {
				return ball{}, err
			}
		}
	}
	return r, nil
}
