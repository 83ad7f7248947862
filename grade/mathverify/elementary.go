package mathverify

import (
	"math"
	"math/big"
	"sync"
)

// guard is the number of extra bits in elementary functions.
const guard = 40

// halvings is how often we halve an argument before summing a Taylor series.
const halvings = 8

// pi and ln2 to the greatest precision we ever need.
var (
	piOnce  = sync.OnceValue(func() *big.Float { return machin(maxPrec + 600) })
	ln2Once = sync.OnceValue(func() *big.Float { return logTwo(maxPrec + 600) })
)

// machin is π = 16·arctan(1/5) - 4·arctan(1/239).
func machin(prec uint) *big.Float {
	a, b := arcSeries(5, prec, -1), arcSeries(239, prec, -1)
	a.Sub(a.Lsh(a, 4), b.Lsh(b, 2))
	return float(a, prec)
}

// logTwo is ln 2 = 2·artanh(1/3).
func logTwo(prec uint) *big.Float {
	a := arcSeries(3, prec, 1)
	return float(a.Lsh(a, 1), prec)
}

// arcSeries is the sum of sign^k/((2k+1)·n^(2k+1)) in units of 2^-(prec+guard).
func arcSeries(n int64, prec uint, sign int64) *big.Int {
	power := new(big.Int).Lsh(big.NewInt(1), prec+guard)
	power.Quo(power, big.NewInt(n))
	square, sum, term := big.NewInt(n*n*sign), new(big.Int), new(big.Int)
	for k := int64(1); power.Sign() != 0; k += 2 {
		sum.Add(sum, term.Quo(power, term.SetInt64(k)))
		power.Quo(power, square)
	}
	return sum
}

// float returns a number in units of 2^-(prec+guard).
func float(n *big.Int, prec uint) *big.Float {
	x := new(big.Float).SetPrec(prec + guard).SetInt(n)
	return x.SetMantExp(x, -int(prec+guard))
}

// fixed returns x, which is small, in units of 2^-(c.prec+guard).
func (c *field) fixed(x *big.Float) *big.Int {
	n, _ := new(big.Float).SetMantExp(x, int(c.prec+guard)).Int(nil)
	return n
}

// times sets z to x·y, all in units of 2^-(c.prec+guard).
func (c *field) times(z, x, y *big.Int) *big.Int {
	z.Mul(x, y)
	return z.Rsh(z, c.prec+guard)
}

// work returns a copy of x, or zero for nil, in the precision of the elementary
// functions.
func (c *field) work(x *big.Float) *big.Float {
	z := new(big.Float).SetPrec(c.prec + guard)
	if x != nil {
		z.Set(x)
	}
	return z
}

// reduce returns x - n·unit for the whole number n that makes it smallest.
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
	r := c.fixed(rest.SetMantExp(rest, -halvings))
	term, divisor := new(big.Int).Lsh(big.NewInt(1), c.prec+guard), new(big.Int)
	sum, next := new(big.Int).Set(term), new(big.Int)
	for k := int64(1); term.BitLen() > 1; k++ {
		c.times(next, term, r)
		term.Quo(next, divisor.SetInt64(k))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Set(c.times(next, sum, sum))
	}
	e := float(sum, c.prec)
	return e.SetMantExp(e, int(n.Int64()))
}

// cis returns cos x and sin x.
func (c *field) cis(x *big.Float) (cos, sin *big.Float) {
	quarter := new(big.Float).SetPrec(c.prec + guard + 512).Set(piOnce())
	quarter.SetMantExp(quarter, -1)
	rest, n := c.reduce(x, quarter)
	cosine, sine := c.taylor(c.fixed(rest.SetMantExp(rest, -halvings)))
	cc, ss := new(big.Int), new(big.Int)
	for range halvings {
		c.times(cc, cosine, cosine)
		c.times(ss, sine, sine)
		sine.Rsh(sine.Mul(sine, cosine), c.prec+guard-1)
		cosine.Sub(cc, ss)
	}
	cos, sin = float(cosine, c.prec), float(sine, c.prec)
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
func (c *field) taylor(x *big.Int) (cos, sin *big.Int) {
	term, next, divisor := new(big.Int).Lsh(big.NewInt(1), c.prec+guard), new(big.Int), new(big.Int)
	cos, sin = new(big.Int).Set(term), new(big.Int)
	for k := int64(1); term.BitLen() > 1; k++ {
		c.times(next, term, x)
		term.Quo(next, divisor.SetInt64(k))
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
	return cos, sin
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

// angle returns the argument of re + i·im, which is not zero, from -π to π.
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
func (c *field) exp(a ball) (ball, error) {
	if err := c.budget.Spend(c.cost()); err != nil {
		return ball{}, err
	}
	if exponent(a.Re) > 26 || a.Err > 0 {
		return ball{}, errUnknown
	}
	size := c.expReal(a.Re)
	err := exponent(size) + a.Err + 2
	if a.real() {
		return c.rounded(c.float().Set(size), nil, err)
	}
	if exponent(a.Im) > maxTurns {
		return ball{}, errUnknown
	}
	cos, sin := c.cis(a.Im)
	re, im := c.float().Mul(size, cos), c.float().Mul(size, sin)
	return c.rounded(re, im, max(err, exponent(size)-int(c.prec))+1)
}

// maxTurns is the greatest binary exponent of an angle.
const maxTurns = 400

// sincos returns the sine and the cosine of a real ball.
func (c *field) sincos(a ball) (sin, cos ball, err error) {
	if err := c.budget.Spend(c.cost()); err != nil {
		return sin, cos, err
	}
	if exponent(a.Re) > maxTurns || a.Err > 0 {
		return sin, cos, errUnknown
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
func (c *field) log(a ball) (ball, error) {
	if err := c.budget.Spend(2 * c.cost()); err != nil {
		return ball{}, err
	}
	least, far := a.least()
	if !far {
		if a.isExact() {
			return ball{}, errUndefined
		}
		return ball{}, errPrecision
	}
	err := max(a.Err-least+1, -int(c.prec)+1)
	if a.real() && a.Re.Sign() > 0 {
		return c.rounded(c.float().Set(c.logReal(a.Re)), nil, err)
	}
	norm, e := c.norm(a)
	if e != nil {
		return ball{}, e
	}
	re := c.logReal(norm.Re)
	re.SetMantExp(re, -1)
	im := c.angle(a.Re, c.part(a.Im))
	return c.rounded(c.float().Set(re), c.float().Set(im), err+2)
}

// arctan is the arc tangent of a real ball.
func (c *field) arctan(a ball) (ball, error) {
	if err := c.budget.Spend(2 * c.cost()); err != nil {
		return ball{}, err
	}
	one := c.float().SetInt64(1)
	return c.rounded(c.float().Set(c.angle(one, a.Re)), nil, max(a.Err, -int(c.prec))+1)
}

// powComplex is e^(b·ln a).
func (c *field) powComplex(a, b ball) (ball, error) {
	l, err := c.log(a)
	if err != nil {
		return ball{}, err
	}
	if l, err = c.mul(b, l); err != nil {
		return ball{}, err
	}
	return c.exp(l)
}
