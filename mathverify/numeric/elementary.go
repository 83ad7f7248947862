package numeric

import (
	"math"
	"math/big"
	"sync"
)

// guard is how many bits more than asked for the elementary functions compute with.
const guard = 40

// halvings is how often an argument is halved before a Taylor series is summed.
const halvings = 8

// pi and ln2 to the greatest precision that is ever needed.
var (
	piOnce  = sync.OnceValue(func() *big.Float { return machin(maxPrec + 600) })
	ln2Once = sync.OnceValue(func() *big.Float { return logTwo(maxPrec + 600) })
)

// machin is π = 16·arctan(1/5) - 4·arctan(1/239).
func machin(prec uint) *big.Float {
	a := arcSeries(5, prec+guard, -1)
	b := arcSeries(239, prec+guard, -1)
	a.Mul(a, big.NewFloat(16))
	b.Mul(b, big.NewFloat(4))
	return a.Sub(a, b).SetPrec(prec)
}

// logTwo is ln 2 = 2·artanh(1/3).
func logTwo(prec uint) *big.Float {
	a := arcSeries(3, prec+guard, 1)
	return a.Mul(a, big.NewFloat(2)).SetPrec(prec)
}

// arcSeries is the sum of sign^k/((2k+1)·n^(2k+1)).
func arcSeries(n int64, prec uint, sign int64) *big.Float {
	power := new(big.Float).SetPrec(prec).SetInt64(n)
	power.Quo(new(big.Float).SetPrec(prec).SetInt64(1), power)
	square := new(big.Float).SetPrec(prec).SetInt64(n * n * sign)
	sum := new(big.Float).SetPrec(prec)
	for k := int64(1); power.MantExp(nil) > -int(prec); k += 2 {
		sum.Add(sum, new(big.Float).SetPrec(prec).Quo(power, new(big.Float).SetPrec(prec).SetInt64(k)))
		power.Quo(power, square)
	}
	return sum
}

// work returns a zero of the precision in which the elementary functions compute.
func (c *field) work(x *big.Float) *big.Float {
	z := new(big.Float).SetPrec(c.prec + guard)
	if x != nil {
		z.Set(x)
	}
	return z
}

// reduce returns x - n·unit with the whole number n that makes it smallest.
func (c *field) reduce(x, unit *big.Float) (rest *big.Float, n *big.Int) {
	prec := c.prec + guard + uint(max(exponent(x), 0))
	quo := new(big.Float).SetPrec(prec).Quo(x, unit)
	half := big.NewFloat(0.5)
	if quo.Sign() < 0 {
		half.Neg(half)
	}
	n, _ = quo.Add(quo, half).Int(nil)
	whole := new(big.Float).SetPrec(prec).SetInt(n)
	rest = whole.Sub(x, whole.Mul(whole, unit))
	return rest.SetPrec(c.prec + guard), n
}

// expReal is e^x, for |x| below 2^30.
func (c *field) expReal(x *big.Float) *big.Float {
	rest, n := c.reduce(x, ln2Once())
	rest.SetMantExp(rest, -halvings)
	sum, term := c.work(nil).SetInt64(1), c.work(nil).SetInt64(1)
	for k := int64(1); ; k++ {
		term.Mul(term, rest)
		term.Quo(term, c.work(nil).SetInt64(k))
		if term.Sign() == 0 || exponent(term) < -int(c.prec)-guard {
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(n.Int64()))
}

// cis returns cos x and sin x.
func (c *field) cis(x *big.Float) (cos, sin *big.Float) {
	quarter := new(big.Float).SetPrec(c.prec + guard + 512).Set(piOnce())
	quarter.SetMantExp(quarter, -1)
	rest, n := c.reduce(x, quarter)
	rest.SetMantExp(rest, -halvings)
	cos, sin = c.taylor(rest)
	for range halvings {
		cc, ss := c.work(nil).Mul(cos, cos), c.work(nil).Mul(sin, sin)
		sin = c.work(nil).Mul(cos, sin)
		sin.SetMantExp(sin, 1)
		cos = cc.Sub(cc, ss)
	}
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 1:
		cos, sin = sin.Neg(sin), cos
	case 2:
		cos, sin = cos.Neg(cos), sin.Neg(sin)
	case 3:
		cos, sin = sin, cos.Neg(cos)
	}
	return cos, sin
}

// taylor sums the series of cos and sin.
func (c *field) taylor(x *big.Float) (cos, sin *big.Float) {
	cos, sin = c.work(nil).SetInt64(1), c.work(nil)
	term := c.work(nil).SetInt64(1)
	for k := int64(1); ; k++ {
		term.Mul(term, x)
		term.Quo(term, c.work(nil).SetInt64(k))
		if term.Sign() == 0 || exponent(term) < -int(c.prec)-guard {
			return cos, sin
		}
		switch k % 4 {
		case 0:
			cos.Add(cos, term)
		case 1:
			sin.Add(sin, term)
		case 2:
			cos.Sub(cos, term)
		case 3:
			sin.Sub(sin, term)
		}
	}
}

// logReal is ln x for x above 0, by Halley's iteration on e^y = x.
func (c *field) logReal(x *big.Float) *big.Float {
	m := c.work(nil)
	shift := x.MantExp(m)
	m.SetPrec(c.prec + guard)
	start, _ := m.Float64()
	y := c.work(nil).SetFloat64(math.Log(start))
	for bits := uint(50); ; bits *= 3 {
		e := c.expReal(y)
		step := c.work(nil).Sub(m, e)
		step.Quo(step, e.Add(e, m))
		y.Add(y, step.SetMantExp(step, 1))
		if bits > (c.prec+guard)/3 {
			break
		}
	}
	whole := c.work(nil).SetInt64(int64(shift))
	return y.Add(y, whole.Mul(whole, ln2Once()))
}

// angle is the argument of re + i·im, which is not zero, from -π to π.
func (c *field) angle(re, im *big.Float) *big.Float {
	top := max(exponent(re), exponent(im))
	x, y := c.work(re), c.work(im)
	x.SetMantExp(x, -top)
	y.SetMantExp(y, -top)
	fx, _ := x.Float64()
	fy, _ := y.Float64()
	theta := c.work(nil).SetFloat64(math.Atan2(fy, fx))
	for bits := uint(48); ; bits *= 3 {
		cos, sin := c.cis(theta)
		// turn the number by -theta: its new argument is nearly im/re
		turned := c.work(nil).Sub(c.work(nil).Mul(y, cos), c.work(nil).Mul(x, sin))
		along := c.work(nil).Add(c.work(nil).Mul(x, cos), c.work(nil).Mul(y, sin))
		theta.Add(theta, turned.Quo(turned, along))
		if bits > (c.prec+guard)/3 {
			return theta
		}
	}
}

// exp is e^a.
func (c *field) exp(a Ball) (Ball, error) {
	if err := c.budget.Spend(c.cost()); err != nil {
		return Ball{}, err
	}
	if exponent(a.Re) > 26 || a.Err > 0 {
		return Ball{}, ErrUnknown
	}
	size := c.expReal(a.Re)
	err := exponent(size) + a.Err + 2
	if a.real() {
		return c.rounded(c.float().Set(size), nil, err)
	}
	if exponent(a.Im) > maxTurns {
		return Ball{}, ErrUnknown
	}
	cos, sin := c.cis(a.Im)
	re, im := c.float().Mul(size, cos), c.float().Mul(size, sin)
	return c.rounded(re, im, max(err, exponent(size)-int(c.prec))+1)
}

// maxTurns is the greatest binary exponent of an angle.
const maxTurns = 400

// sincos returns the sine and the cosine of a real ball.
func (c *field) sincos(a Ball) (sin, cos Ball, err error) {
	if err := c.budget.Spend(c.cost()); err != nil {
		return sin, cos, err
	}
	if exponent(a.Re) > maxTurns || a.Err > 0 {
		return sin, cos, ErrUnknown
	}
	x, y := c.cis(a.Re)
	e := max(a.Err, -int(c.prec)) + 1
	if cos, err = c.rounded(c.float().Set(x), nil, e); err != nil {
		return sin, cos, err
	}
	sin, err = c.rounded(c.float().Set(y), nil, e)
	return sin, cos, err
}

// log is the principal logarithm.
func (c *field) log(a Ball) (Ball, error) {
	if err := c.budget.Spend(2 * c.cost()); err != nil {
		return Ball{}, err
	}
	least, far := a.least()
	if !far {
		if a.isExact() {
			return Ball{}, ErrUndefined
		}
		return Ball{}, ErrPrecision
	}
	err := max(a.Err-least+1, -int(c.prec)+1)
	if a.real() && a.Re.Sign() > 0 {
		return c.rounded(c.float().Set(c.logReal(a.Re)), nil, err)
	}
	norm, e := c.norm(a)
	if e != nil {
		return Ball{}, e
	}
	re := c.logReal(norm.Re)
	re.SetMantExp(re, -1)
	im := c.angle(a.Re, c.part(a.Im))
	return c.rounded(c.float().Set(re), c.float().Set(im), err+2)
}

// arctan is the arc tangent of a real ball.
func (c *field) arctan(a Ball) (Ball, error) {
	if err := c.budget.Spend(2 * c.cost()); err != nil {
		return Ball{}, err
	}
	one := c.float().SetInt64(1)
	return c.rounded(c.float().Set(c.angle(one, a.Re)), nil, max(a.Err, -int(c.prec))+1)
}

// powComplex is e^(b·ln a).
func (c *field) powComplex(a, b Ball) (Ball, error) {
	l, err := c.log(a)
	if err != nil {
		return Ball{}, err
	}
	if l, err = c.mul(b, l); err != nil {
		return Ball{}, err
	}
	return c.exp(l)
}
