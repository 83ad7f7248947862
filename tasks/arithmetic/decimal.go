package arithmetic

import (
	"math/big"
	"math/bits"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
)

// A decimal is n × 10^exp.
type decimal struct {
	n   whole
	exp int
}

// powerOfTen returns 10^k for k ≥ 0.
func powerOfTen(k int) *big.Int {
	if k < len(powersOfTen) {
		return big.NewInt(powersOfTen[k])
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(k)), nil)
}

// countDigits returns the number of decimal digits of w.
func (w whole) countDigits() int {
	if w.large != nil {
		return len(w.append(nil, "", 10)) - task.Bit(w.large.Sign() < 0)
	}
	digits := 1
	for n := max(w.n, -w.n); digits < len(powersOfTen) && n >= powersOfTen[digits]; {
		digits++
	}
	return digits
}

// at returns d in units of 10^exp; exp must not exceed d.exp.
func (d decimal) at(exp int) *big.Int {
	if d.exp == exp {
		return d.n.big()
	}
	return new(big.Int).Mul(d.n.big(), powerOfTen(d.exp-exp))
}

// smallAt is at for machine integers. ok is false if the result does not fit.
func (d decimal) smallAt(exp int) (n int64, ok bool) {
	if d.exp-exp >= len(powersOfTen) {
		return 0, false
	}
	hi, lo := bits.Mul64(uint64(max(d.n.n, -d.n.n)), uint64(powersOfTen[d.exp-exp]))
	if hi != 0 || lo > mostSmall {
		return 0, false
	}
	if d.n.n < 0 {
		return -int64(lo), true
	}
	return int64(lo), true
}

// round rounds to precision significant digits, halves to even, as Python's decimal module
// does.
func (d decimal) round(precision int) decimal {
	drop := d.n.countDigits() - precision
	switch {
	case drop <= 0:
		return d
	case d.n.large != nil:
		return d.roundLarge(drop)
	}
	unit := powersOfTen[drop]
	n, rest := d.n.n/unit, d.n.n%unit
	if double := 2 * max(rest, -rest); double > unit || double == unit && n&1 == 1 {
		if d.n.n < 0 {
			n--
		} else {
			n++
		}
	}
	return decimal{whole{n: n}, d.exp + drop}
}

// roundLarge drops digits of a large number.
func (d decimal) roundLarge(drop int) decimal {
	unit := powerOfTen(drop)
	quotient, rest := new(big.Int).QuoRem(d.n.large, unit, new(big.Int))
	if half := rest.Lsh(rest, 1).CmpAbs(unit); half > 0 || half == 0 && quotient.Bit(0) == 1 {
		quotient.Add(quotient, big.NewInt(int64(d.n.large.Sign())))
	}
	if n := quotient.Int64(); quotient.IsInt64() && max(n, -n) <= mostSmall {
		return decimal{whole{n: n}, d.exp + drop}
	}
	return decimal{whole{large: quotient}, d.exp + drop}
}

// quotient returns x/y with at least precision digits, and one more that marks a remainder,
// so that rounding to precision digits is right. y is not 0.
func quotient(x, y decimal, precision int) decimal {
	more := max(0, precision+1+y.n.countDigits()-x.n.countDigits())
	if d, ok := smallQuotient(x, y, more); ok {
		return d
	}
	divisor := y.n.big()
	q, rest := new(big.Int).QuoRem(x.at(x.exp-more), divisor, new(big.Int))
	d := decimal{whole{large: q}, x.exp - y.exp - more}
	if sign := int64(rest.Sign() * divisor.Sign()); sign != 0 {
		q.Add(q.Mul(q, big.NewInt(10)), big.NewInt(sign))
		d.exp--
	}
	return d
}

// smallQuotient is quotient in machine integers, with more extra digits. ok is false if
// they do not suffice.
func smallQuotient(x, y decimal, more int) (d decimal, ok bool) {
	if x.n.large != nil || y.n.large != nil || more >= len(powersOfTen) {
		return d, false
	}
	divisor := uint64(max(y.n.n, -y.n.n))
	hi, lo := bits.Mul64(uint64(max(x.n.n, -x.n.n)), uint64(powersOfTen[more]))
	if hi >= divisor {
		return d, false
	}
	q, rest := bits.Div64(hi, lo, divisor)
	if q > mostSmall/10-1 {
		return d, false
	}
	d.exp = x.exp - y.exp - more
	if rest != 0 {
		q = 10*q + 1
		d.exp--
	}
	if d.n.n = int64(q); (x.n.n < 0) != (y.n.n < 0) {
		d.n.n = -d.n.n
	}
	return d, true
}

// exactly is the precision of sums without rounding.
const exactly = 0

// decimals returns what evaluates expressions of decimal numbers, and rounds each result to precision significant digits.
func decimals(operators []string, precision int) answer.Evaluator[decimal] {
	return answer.Evaluator[decimal]{
		Operators: operators, Signs: "-", Parts: "decimal numbers, operators and brackets",
		Apply: func(op byte, x, y decimal) (decimal, error) { return decided(decimalStep(op, x, y, precision)) },
		Operand: func(text string) (decimal, int, error) {
			d, size := readDecimal(text)
			return d, size, nil
		},
	}
}

// decimalStep returns x op y, rounded to precision significant digits.
func decimalStep(op byte, x, y decimal, precision int) (z decimal, ok bool) {
	z, ok = decimal{exp: min(x.exp, y.exp)}, true
	switch op {
	case '+', '-':
		z.n = sum(op, x, y, z.exp)
	case '*':
		z.n, ok = wholeStep(op, x.n, y.n)
		z.exp = x.exp + y.exp
	case answer.Negate:
		z.n, ok = wholeStep(op, x.n, y.n)
	case '/':
		if y.n.isZero() {
			return z, false
		}
		z = quotient(x, y, precision)
	}
	if precision == exactly {
		return z, ok
	}
	return z.round(precision), ok
}

// sum returns x op y, plus or minus, in units of 10^exp.
func sum(op byte, x, y decimal, exp int) (n whole) {
	if x.n.large == nil && y.n.large == nil {
		left, fits := x.smallAt(exp)
		right, both := y.smallAt(exp)
		if fits && both {
			n, _ = wholeStep(op, whole{n: left}, whole{n: right})
			return n
		}
	}
	n, _ = largeStep(op, whole{large: x.at(exp)}, whole{large: y.at(exp)})
	return n
}

// readDecimal reads digits with an optional point at the beginning of text.
func readDecimal(text string) (d decimal, size int) {
	const small = 15 // digits of a machine integer
	points, n := 0, int64(0)
	for ; size < len(text) && (text[size]-'0' <= 9 || text[size] == '.'); size++ {
		switch {
		case text[size] == '.':
			points++
		case size <= small:
			n = 10*n + int64(text[size]-'0')
		}
		if points > 0 && text[size] != '.' {
			d.exp--
		}
	}
	switch {
	case size == points || points > 1:
		return decimal{}, 0
	case size <= small:
		d.n.n = n
	default:
		d.n.large, _ = new(big.Int).SetString(strings.Replace(text[:size], ".", "", 1), 10)
	}
	return d, size
}

// String writes d without trailing zeros.
func (d decimal) String() string {
	if d.exp >= 0 {
		return d.at(0).String()
	}
	return pointAt(string(d.n.append(make([]byte, 0, 24), "", 10)), -d.exp)
}

// near reports whether got differs from d by at most half of 10^-places. Of a very long
// number, only the first digits count.
func (d decimal) near(got answer.Decimal, places int) bool {
	const most = 200
	if len(got.Digits) > most {
		got.Exp += int64(len(got.Digits) - most)
		got.Digits = got.Digits[:most]
	}
	highest := max(d.n.countDigits()+d.exp, -places) // place of the leading digit of d or of the tolerance
	if magnitude := int64(len(got.Digits)) + got.Exp; got.Digits == "" || magnitude < int64(-places-most) {
		got = answer.Decimal{}
	} else if magnitude > int64(highest+2) {
		return false
	}
	n, _ := new(big.Int).SetString("0"+got.Digits, 10)
	if got.Neg {
		n.Neg(n)
	}
	exp := int(got.Exp) // close to highest or to places by now, so no overflow
	unit := min(exp, d.exp, -places)
	off := n.Sub(decimal{whole{large: n}, exp}.at(unit), d.at(unit))
	return off.Lsh(off, 1).CmpAbs(powerOfTen(-places-unit)) <= 0
}
