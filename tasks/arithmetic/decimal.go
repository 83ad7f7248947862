package arithmetic

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/answer"
)

// A decimal is n × 10^exp.
type decimal struct {
	n   *big.Int
	exp int
}

// powerOfTen returns 10^k, k 0 or more.
func powerOfTen(k int) *big.Int {
	if k < len(powersOfTen) {
		return big.NewInt(powersOfTen[k])
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil)
}

// countDigits returns how many decimal digits n has.
func countDigits(n *big.Int) int {
	if n.IsInt64() {
		digits := 1
		for rest := n.Int64() / 10; rest != 0; rest /= 10 {
			digits++
		}
		return digits
	}
	digits := len(n.String())
	if n.Sign() < 0 {
		digits--
	}
	return digits
}

// at returns d as a whole number of 10^exp, which is no more than that of d.
func (d decimal) at(exp int) *big.Int {
	if d.exp == exp {
		return d.n
	}
	return new(big.Int).Mul(d.n, powerOfTen(d.exp-exp))
}

// round keeps at most precision significant digits, halves to even, as Python's
// decimal module does.
func (d decimal) round(precision int) decimal {
	drop := countDigits(d.n) - precision
	if drop <= 0 {
		return d
	}
	unit := powerOfTen(drop)
	quotient, rest := new(big.Int).QuoRem(d.n, unit, new(big.Int))
	if half := rest.Lsh(rest, 1).CmpAbs(unit); half > 0 || half == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(int64(d.n.Sign())))
	}
	return decimal{quotient, d.exp + drop}
}

// quotient returns x/y with at least precision digits, and one more that tells
// whether anything is left: rounded to precision digits, it is right. y is not 0.
func quotient(x, y decimal, precision int) decimal {
	more := max(0, precision+1+countDigits(y.n)-countDigits(x.n))
	q, rest := new(big.Int).QuoRem(new(big.Int).Mul(x.n, powerOfTen(more)), y.n, new(big.Int))
	d := decimal{q, x.exp - y.exp - more}
	if sign := int64(rest.Sign() * y.n.Sign()); sign != 0 {
		q.Add(q.Mul(q, big.NewInt(10)), big.NewInt(sign))
		d.exp--
	}
	return d
}

// decimalStep returns the steps of a [reckoner] that rounds the result of each to
// precision significant digits.
func decimalStep(precision int) func(op byte, x, y decimal) (decimal, bool) {
	return func(op byte, x, y decimal) (decimal, bool) {
		z := decimal{new(big.Int), min(x.exp, y.exp)}
		switch op {
		case '+':
			z.n.Add(x.at(z.exp), y.at(z.exp))
		case '-':
			z.n.Sub(x.at(z.exp), y.at(z.exp))
		case '*':
			z.n.Mul(x.n, y.n)
			z.exp = x.exp + y.exp
		case '/':
			if y.n.Sign() == 0 {
				return z, false
			}
			z = quotient(x, y, precision)
		case opNegate:
			z.n.Neg(x.n)
		default:
			return z, false
		}
		return z.round(precision), true
	}
}

// readDecimal reads the digits, with a point among them, at the beginning of text.
func readDecimal(text string) (d decimal, size int) {
	for size < len(text) && (text[size]-'0' <= 9 || text[size] == '.') {
		size++
	}
	before, after, _ := strings.Cut(text[:size], ".")
	if small, err := strconv.ParseInt(before+after, 10, 64); err == nil {
		return decimal{big.NewInt(small), -len(after)}, size
	}
	n, ok := new(big.Int).SetString(before+after, 10)
	if !ok {
		return decimal{}, 0
	}
	return decimal{n, -len(after)}, size
}

// String writes d without zeros at its end.
func (d decimal) String() string {
	if d.exp >= 0 {
		return d.at(0).String()
	}
	return pointAt(d.n.String(), -d.exp)
}

// near reports whether got differs from d by half of 10^-places at most. Of a very long
// number only the first digits count.
func (d decimal) near(got answer.Decimal, places int) bool {
	const most = 200
	if len(got.Digits) > most {
		got.Exp += int64(len(got.Digits) - most)
		got.Digits = got.Digits[:most]
	}
	highest := max(countDigits(d.n)+d.exp, -places) // of the digits of d, and of what it may be off by
	if magnitude := int64(len(got.Digits)) + got.Exp; got.Digits == "" || magnitude < int64(-places-most) {
		got = answer.Decimal{}
	} else if magnitude > int64(highest+2) {
		return false
	}
	n, _ := new(big.Int).SetString("0"+got.Digits, 10)
	if got.Neg {
		n.Neg(n)
	}
	exp := int(got.Exp) // which is near those of d and of the places by now
	unit := min(exp, d.exp, -places)
	off := n.Sub(decimal{n, exp}.at(unit), d.at(unit))
	return off.Lsh(off, 1).CmpAbs(powerOfTen(-places-unit)) <= 0
}
