package arithmetic

import (
	"math/big"
	"strconv"

	"github.com/quintain-rl/quintain/task/answer"
)

// mostSmall limits the machine integer that a step leaves, so that two of them can be
// added.
const mostSmall = 1 << 61

// A whole is a whole number. It is a machine integer, without allocations, as long as all
// its operands were small enough. It never changes.
type whole struct {
	n     int64
	large *big.Int // the number, unless nil; n is then unused
}

// big returns the number; the caller owns it.
func (w whole) big() *big.Int {
	if w.large == nil {
		return big.NewInt(w.n)
	}
	return new(big.Int).Set(w.large)
}

func (w whole) isZero() bool {
	return w.large == nil && w.n == 0 || w.large != nil && w.large.Sign() == 0
}

// append appends the sign, the prefix, and the digits in the given base.
func (w whole) append(b []byte, prefix string, base int) []byte {
	if w.large != nil {
		text := w.large.Text(base)
		if text[0] == '-' {
			b, text = append(b, '-'), text[1:]
		}
		return append(append(b, prefix...), text...)
	}
	n := w.n
	if n < 0 {
		b, n = append(b, '-'), -n
	}
	return strconv.AppendInt(append(b, prefix...), n, base)
}

// String writes w in decimal.
func (w whole) String() string { return string(w.append(make([]byte, 0, 24), "", 10)) }

// readWhole reads the digits in base 10 or 16 at the beginning of text.
func readWhole(text string, base int64) (w whole, size int) {
	const small = 15 // digits that fit in any base
	for ; size < len(text); size++ {
		digit := int64(16)
		switch c := text[size]; {
		case c-'0' <= 9:
			digit = int64(c - '0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			digit = int64(c|0x20-'a') + 10
		}
		if digit >= base {
			break
		}
		if size < small {
			w.n = w.n*base + digit
		}
	}
	if size > small {
		w.large, _ = new(big.Int).SetString(text[:size], int(base))
	}
	return w, size
}

// maxShift limits a single shift, in bits.
const maxShift = 64

// wholeStep computes x op y in whole numbers. A quotient is rounded down, as in Python. ok
// is false for a division by 0 and for a shift by less than 0 or more than maxShift bits.
func wholeStep(op byte, x, y whole) (value whole, ok bool) {
	const factor = 1 << 31 // its square is a machine integer
	if x.large != nil || op != answer.Negate && y.large != nil {
		return largeStep(op, x, y)
	}
	z := x.n
	switch op {
	case '+':
		z += y.n
	case '-':
		z -= y.n
	case '*':
		if max(x.n, -x.n, y.n, -y.n) > factor {
			return largeStep(op, x, y)
		}
		z *= y.n
	case answer.Negate:
		z = -z
	case '/':
		if y.n == 0 {
			return whole{}, false
		}
		z /= y.n
		if rest := x.n - z*y.n; rest != 0 && (rest < 0) != (y.n < 0) {
			z--
		}
	default:
		if y.n < 0 || y.n > maxShift {
			return whole{}, false
		}
		if op == '>' {
			z >>= y.n
		} else if z <<= y.n; z>>y.n != x.n {
			return largeStep(op, x, y)
		}
	}
	if max(z, -z) > mostSmall {
		return largeStep(op, x, y)
	}
	return whole{n: z}, true
}

// largeStep is wholeStep for numbers of any size. Its value is in the large form, however
// small.
func largeStep(op byte, x, y whole) (value whole, ok bool) {
	z, other := x.big(), y.big()
	switch op {
	case '+':
		z.Add(z, other)
	case '-':
		z.Sub(z, other)
	case '*':
		z.Mul(z, other)
	case answer.Negate:
		z.Neg(z)
	case '/':
		if other.Sign() == 0 {
			return whole{}, false
		}
		rest := new(big.Int)
		if z.QuoRem(z, other, rest); rest.Sign() != 0 && rest.Sign() != other.Sign() {
			z.Sub(z, big.NewInt(1))
		}
	default:
		if other.Sign() < 0 || !other.IsInt64() || other.Int64() > maxShift {
			return whole{}, false
		}
		if shift := uint(other.Int64()); op == '<' {
			z.Lsh(z, shift)
		} else {
			z.Rsh(z, shift)
		}
	}
	return whole{large: z}, true
}
