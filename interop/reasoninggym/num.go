package reasoninggym

import (
	"math"
	"math/big"
)

// A num is a number of SymPy: exact, or a float.
type num struct {
	exact *big.Rat // nil: a float
	float float64
}

// mostBits limits exact numbers.
const mostBits = 30_000

func exact(r *big.Rat) num { return num{exact: r} }

func count(n int64) num { return exact(new(big.Rat).SetInt64(n)) }

// value returns the number as a float.
func (a num) value() float64 {
	if a.exact == nil {
		return a.float
	}
	x, _ := a.exact.Float64()
	return x
}

// zero reports whether the number is 0.
func (a num) zero() bool {
	return a.exact != nil && a.exact.Sign() == 0 || a.exact == nil && a.float == 0
}

// whole returns an exact whole number.
func (a num) whole() (*big.Int, bool) {
	if a.exact == nil || !a.exact.IsInt() {
		return nil, false
	}
	return a.exact.Num(), true
}

// text writes the number; floats differ from exact numbers.
func (a num) text() string {
	if a.exact == nil {
		return "f" + pyWriteFloat(a.float)
	}
	return a.exact.RatString()
}

// small reports whether the number is finite and short.
func (a num) small() bool {
	if a.exact == nil {
		return !math.IsNaN(a.float) && !math.IsInf(a.float, 0)
	}
	return a.exact.Num().BitLen()+a.exact.Denom().BitLen() < mostBits
}

func (a num) plus(b num) num {
	if a.exact == nil || b.exact == nil {
		return num{float: a.value() + b.value()}
	}
	return exact(new(big.Rat).Add(a.exact, b.exact))
}

func (a num) times(b num) num {
	if a.exact == nil && !b.zero() || b.exact == nil && !a.zero() {
		return num{float: a.value() * b.value()}
	}
	if a.exact == nil || b.exact == nil {
		return count(0)
	}
	return exact(new(big.Rat).Mul(a.exact, b.exact))
}

// power returns a to a whole power; false if there is no short result.
func (a num) power(n *big.Int) (num, bool) {
	if a.exact == nil {
		x, _ := new(big.Float).SetInt(n).Float64()
		p := num{float: math.Pow(a.float, x)}
		return p, p.small()
	}
	if n.Sign() < 0 && a.zero() {
		return a, false
	}
	one := a.exact.Num().CmpAbs(a.exact.Denom()) == 0
	if size := max(a.exact.Num().BitLen(), a.exact.Denom().BitLen()); !a.zero() && !one && (!n.IsInt64() || max(n.Int64(), -n.Int64()) > int64(mostBits/size)) {
		return a, false
	}
	if a.zero() || one { // the power counts only as even or odd, and as zero
		n = big.NewInt(int64(n.Sign()) * int64(2-n.Bit(0)))
	}
	size := new(big.Int).Abs(n)
	over, under := new(big.Int).Exp(a.exact.Num(), size, nil), new(big.Int).Exp(a.exact.Denom(), size, nil)
	if n.Sign() < 0 {
		over, under = under, over
	}
	return exact(new(big.Rat).SetFrac(over, under)), true
}

// root returns the n-th root of a if it is exact.
func (a num) root(n int64) (num, bool) {
	if a.exact == nil || a.exact.Sign() < 0 {
		return a, false
	}
	over, isOver := rootOf(a.exact.Num(), n)
	under, isUnder := rootOf(a.exact.Denom(), n)
	if !isOver || !isUnder {
		return a, false
	}
	return exact(new(big.Rat).SetFrac(over, under)), true
}

// rootOf returns the n-th root of a whole number of up to 50 bits, or its square root, if it is whole.
func rootOf(a *big.Int, n int64) (*big.Int, bool) {
	r := new(big.Int)
	switch {
	case n == 2:
		r.Sqrt(a)
	case n < 50 && a.BitLen() <= 50:
		x, _ := new(big.Float).SetInt(a).Float64()
		r.SetInt64(int64(math.Round(math.Pow(x, 1/float64(n)))))
	default:
		return nil, false
	}
	return r, new(big.Int).Exp(r, big.NewInt(n), nil).Cmp(a) == 0
}
