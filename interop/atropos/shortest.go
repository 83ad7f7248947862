package atropos

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// This file goes when Go 1.27 is the oldest Go that builds the module: its strconv is as fast.

// mostPlain is the number of bytes that putPlain may touch.
const mostPlain = 40

// putPlain writes v to the front of b, with a point and the fewest digits that read back as
// v, and returns the number of bytes. The magnitude of v must be at least 1e-4 and below
// 1e16.
func (t *tens) putPlain(b []byte, v float64) int {
	b = b[:mostPlain]
	n := 0
	u := math.Float64bits(v)
	if u>>63 != 0 {
		b[0] = '-'
		n = 1
	}
	digits, exponent := t.shortest(u &^ (1 << 63))
	if digits < 1e15 || exponent < -22 || exponent > -16 {
		return n + putDigits(b[n:], digits, exponent)
	}
	// The common case: 16 or 17 digits, with the point before them or after the first of
	// 17.
	const zeros = '0' | '.'<<8 | '0'<<16 | '0'<<24 | '0'<<32 | '0'<<40 | '0'<<48 | '0'<<56
	top := digits / 1e16
	digits -= top * 1e16
	point := exponent + 16
	if top > 0 {
		point++
	}
	if point <= 0 {
		binary.LittleEndian.PutUint64(b[n:], zeros)
		n += 2 - point
	}
	if top > 0 {
		b[n] = '0' + byte(top)
		n++
	}
	if point == 1 {
		b[n] = '.'
		n++
	}
	binary.LittleEndian.PutUint64(b[n:], asText(uint32(digits/1e8)))
	binary.LittleEndian.PutUint64(b[n+8:], asText(uint32(digits%1e8)))
	return n + 16
}

// putDigits writes digits · 10^exponent with a point, and returns the number of bytes.
func putDigits(b []byte, digits uint64, exponent int) int {
	w := writeDigits(digits)
	point := w.n + exponent
	if point > 0 {
		return w.around(b, point)
	}
	n := copy(b, "0.000"[:2-point])
	return n + copy(b[n:], w.text[w.start:])
}

// A written holds up to 17 decimal digits as text.
type written struct {
	text  [24]byte // ends with the digits
	start int
	n     int
}

// writeDigits writes v, which must be above 0 and below 1e17.
func writeDigits(v uint64) (w written) {
	top := v / 1e16
	v -= top * 1e16
	high, low := asText(uint32(v/1e8)), asText(uint32(v%1e8))
	w.text[7] = '0' + byte(top)
	binary.LittleEndian.PutUint64(w.text[8:], high)
	binary.LittleEndian.PutUint64(w.text[16:], low)
	w.start, w.n = 7, 17
	if top == 0 {
		w.start = 8
		for w.text[w.start] == '0' {
			w.start++
		}
		w.n = 24 - w.start
	}
	return w
}

// around writes the digits with a decimal point after the given number of them, and returns
// the number of bytes.
func (w *written) around(b []byte, point int) int {
	if point >= w.n {
		copy(b, w.text[w.start:])
		for i := w.n; i < point; i++ {
			b[i] = '0'
		}
		b[point], b[point+1] = '.', '0'
		return point + 2
	}
	copy(b[:point], w.text[w.start:])
	b[point] = '.'
	copy(b[point+1:], w.text[w.start+point:])
	return w.n + 1
}

// asText returns v, which must be below 1e8, as eight digits, with the first in the lowest
// byte.
func asText(v uint32) uint64 {
	x := uint64(v/10000) | uint64(v%10000)<<32
	y := x * 10486 >> 20 & 0x0000007f0000007f // hundreds, in two lanes
	x = y | (x-100*y)<<16
	y = x * 103 >> 10 & 0x000f000f000f000f // tens, in four
	return y | (x-10*y)<<8 | 0x3030303030303030
}

// shortest returns digits and exponent such that digits · 10^exponent reads back as the
// float with bits u. Of all such decimals it has the fewest digits, and of those it is the
// nearest; digits does not end with a zero. The float must be positive and in the range of
// putPlain. This is the algorithm of R. Giulietti ("The Schubfach way to render doubles",
// 2020).
func (t *tens) shortest(u uint64) (digits uint64, exponent int) {
	c, q := u&(1<<52-1), int(u>>52)-1075
	closer := 0 // the float below is nearer than the one above
	if c == 0 {
		closer = 1
	}
	c |= 1 << 52
	k := (q*1262611 - 524031*closer) >> 22 // floor(log10(2^q)), or of 3/4 of it
	h := q + (-k*1741647)>>19 + 1
	ten := t.above[-k-lowestPower]
	low := ten.times((4*c - 2 + uint64(closer)) << h)
	mid := ten.times(4 * c << h)
	high := ten.times((4*c + 2) << h)
	odd := c & 1
	low, high = low+odd, high-odd // the bounds themselves round to the even float

	s := mid / 4
	if s >= 10 {
		tenth := s / 10
		under, over := low <= 40*tenth, 40*tenth+40 <= high
		if under != over {
			if over {
				tenth++
			}
			return trimmed(tenth, k+1)
		}
	}
	under, over := low <= 4*s, 4*s+4 <= high
	if under == over {
		half := 4*s + 2
		over = mid > half || mid == half && s&1 != 0
	}
	if over {
		s++
	}
	return trimmed(s, k)
}

// times returns the product of p and c without its lowest 128 bits; the last bit is set if
// these were not zero.
func (p power) times(c uint64) uint64 {
	x, _ := bits.Mul64(p.low, c)
	high, low := bits.Mul64(p.high, c)
	low, carry := bits.Add64(low, x, 0)
	high += carry
	if low > 1 {
		high |= 1
	}
	return high
}

// trimmed removes trailing zeros from digits.
func trimmed(digits uint64, exponent int) (uint64, int) {
	for digits%10 == 0 {
		digits /= 10
		exponent++
	}
	return digits, exponent
}
