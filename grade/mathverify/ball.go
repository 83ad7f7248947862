package mathverify

import (
	"errors"
	"math/big"
	"math/bits"

	"github.com/quintain-rl/quintain/grade/mathverify/exact"
)

// A ball is a complex number with an error bound: the true real and imaginary parts are
// at most 2^Err away from Re and Im. Once made, its parts do not change.
type ball struct {
	Re, Im *big.Float // Im is nil for a real number
	Err    int
}

// The errors of evaluations, besides those of the budget.
var (
	// errUndefined: there is no value, as for 1/0.
	errUndefined = errors.New("it has no value there")
	// errDomain: the value is not real, because of the values of variables.
	errDomain = errors.New("it has no real value there")
	// errPrecision: the error is too large to decide whether there is a value.
	errPrecision = errors.New("the precision does not suffice")
	// errUnknown: we cannot evaluate it.
	errUnknown = errors.New("it cannot be evaluated")
)

// A field computes with balls at one precision.
type field struct {
	budget *exact.Budget
	prec   uint

	// high and low are the greatest and the least binary exponents of all intermediate
	// values; they reveal a loss of digits.
	high, low int
}

// cost returns the steps of an elementary function.
func (c *field) cost() int { return int(10 + c.prec*c.prec/4000) }

// exactly is the Err of an exact number.
const exactly = -1 << 30

// maxExp bounds the binary exponents of values, so that no arithmetic overflows.
const maxExp = 1 << 28

func exponent(x *big.Float) int {
	if x == nil || x.Sign() == 0 {
		return exactly
	}
	return x.MantExp(nil)
}

// isExact reports whether the ball has no error.
func (b ball) isExact() bool { return b.Err <= exactly+1<<20 }

// size returns the exponent that bounds the ball: its absolute value is below 2^(size+1).
func (b ball) size() int { return max(exponent(b.Re), exponent(b.Im), b.Err) + 1 }

// least returns the exponent that bounds the ball from below: its absolute value is at
// least 2^least; far is false if the ball may contain zero.
func (b ball) least() (least int, far bool) {
	e := max(exponent(b.Re), exponent(b.Im))
	return e - 2, e-2 > b.Err
}

// real reports whether the ball is a real number.
func (b ball) real() bool { return b.Im == nil }

// part returns a part of a number; zero for nil.
func (c *field) part(x *big.Float) *big.Float {
	if x == nil {
		return c.float()
	}
	return x
}

// float returns a new zero of the working precision.
func (c *field) float() *big.Float { return new(big.Float).SetPrec(c.prec) }

// rounded returns a ball with the error of its parts and of rounding them.
func (c *field) rounded(re, im *big.Float, err int) (ball, error) {
	e := max(exponent(re), exponent(im))
	if e > maxExp || err > maxExp {
		return ball{}, errUnknown
	}
	if e != exactly && e-2 > err {
		c.high, c.low = max(c.high, e), min(c.low, e)
	}
	return ball{re, im, max(err, e-int(c.prec)) + 1}, nil
}

// tight is rounded for the real result of one operation, which may be exact.
func (c *field) tight(re *big.Float, err int) (ball, error) {
	if re.Acc() != big.Exact {
		return c.rounded(re, nil, err)
	}
	b, e := c.rounded(re, nil, err)
	b.Err = max(err, exactly)
	return b, e
}

func (c *field) rational(x *big.Rat) (ball, error) {
	re := c.float().SetRat(x)
	if x.Sign() == 0 {
		return ball{Re: re, Err: exactly}, nil
	}
	return c.tight(re, exactly)
}

// whole returns a small whole number.
func (c *field) whole(n int64) ball { return ball{Re: c.float().SetInt64(n), Err: exactly} }

func (c *field) add(a, b ball) (ball, error) {
	re := c.float().Add(a.Re, b.Re)
	if a.real() && b.real() {
		return c.tight(re, max(a.Err, b.Err)+1)
	}
	im := c.float().Add(c.part(a.Im), c.part(b.Im))
	return c.rounded(re, im, max(a.Err, b.Err)+1)
}

// A total is a sum of many balls that adds up their errors once.
type total struct {
	sum   ball
	worst int // the greatest error of a term or a rounding
	count uint
}

func (c *field) newTotal() *total {
	return &total{sum: ball{Re: c.float(), Err: exactly}, worst: exactly}
}

func (t *total) plus(c *field, b ball) error {
	t.worst = max(t.worst, b.Err)
	b.Err = exactly
	sum, err := c.add(t.sum, b)
	t.worst = max(t.worst, sum.Err)
	sum.Err = exactly
	t.sum = sum
	t.count++
	return err
}

func (t *total) ball() ball {
	b := t.sum
	if t.worst > exactly {
		b.Err = t.worst + bits.Len(t.count) + 1
	}
	return b
}

func (c *field) half() ball { return ball{Re: c.float().SetFloat64(0.5), Err: exactly} }

func (c *field) neg(a ball) ball {
	b := ball{c.float().Neg(a.Re), nil, a.Err}
	if a.Im != nil {
		b.Im = c.float().Neg(a.Im)
	}
	return b
}

func (c *field) mul(a, b ball) (ball, error) {
	err := max(a.Err+b.size(), b.Err+a.size(), a.Err+b.Err) + 3
	if a.isExact() && b.isExact() {
		err = exactly
	}
	if a.real() && b.real() {
		return c.tight(c.float().Mul(a.Re, b.Re), err)
	}
	ai, bi := c.part(a.Im), c.part(b.Im)
	re := c.float().Sub(c.float().Mul(a.Re, b.Re), c.float().Mul(ai, bi))
	im := c.float().Add(c.float().Mul(a.Re, bi), c.float().Mul(ai, b.Re))
	return c.rounded(re, im, max(err, a.size()+b.size()-int(c.prec)+2))
}

func (c *field) quo(a, b ball) (ball, error) {
	least, far := b.least()
	if !far {
		if b.isExact() && exponent(b.Re) == exactly {
			return ball{}, errUndefined
		}
		return ball{}, errPrecision
	}
	if b.real() {
		re := c.float().Quo(a.Re, b.Re)
		var im *big.Float
		if a.Im != nil {
			im = c.float().Quo(a.Im, b.Re)
		}
		return c.rounded(re, im, max(a.Err, b.Err+a.size()-least)-least+3)
	}
	norm, err := c.norm(b)
	if err != nil {
		return ball{}, err
	}
	conj := ball{b.Re, c.float().Neg(b.Im), b.Err}
	over, err := c.mul(a, conj)
	if err != nil {
		return ball{}, err
	}
	return c.quo(over, norm)
}

// norm returns the square of the absolute value.
func (c *field) norm(b ball) (ball, error) {
	re, err := c.mul(ball{Re: b.Re, Err: b.Err}, ball{Re: b.Re, Err: b.Err})
	if err != nil || b.real() {
		return re, err
	}
	im, err := c.mul(ball{Re: b.Im, Err: b.Err}, ball{Re: b.Im, Err: b.Err})
	if err != nil {
		return ball{}, err
	}
	return c.add(re, im)
}

// sqrt returns the principal square root. A real argument must not be negative.
func (c *field) sqrt(a ball) (ball, error) {
	if !a.real() {
		return c.powComplex(a, c.half())
	}
	least, far := a.least()
	if !far {
		if a.isExact() {
			return a, nil
		}
		return ball{c.float(), nil, a.size()/2 + 1}, nil
	}
	return c.rounded(c.float().Sqrt(a.Re), nil, a.Err-least/2+1)
}

func (c *field) abs(a ball) (ball, error) {
	if a.real() {
		return ball{c.float().Abs(a.Re), nil, a.Err}, nil
	}
	norm, err := c.norm(a)
	if err != nil {
		return ball{}, err
	}
	return c.sqrt(norm)
}

// sign returns the sign of a real ball; ErrPrecision if it may be either.
func (b ball) sign() (int, error) {
	if !b.real() {
		return 0, errDomain
	}
	if _, far := b.least(); !far {
		if b.isExact() {
			return 0, nil
		}
		return 0, errPrecision
	}
	return b.Re.Sign(), nil
}
