package atropos

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"sync"
)

// Powers of ten outside this range are left to strconv.
const (
	lowestPower  = -60
	highestPower = 22 // the highest that a float represents exactly
)

// A power is the first 128 bits of a power of ten; the highest bit is set.
type power struct{ high, low uint64 }

// tens are the powers of ten for scaling numbers.
type tens struct {
	floats [highestPower + 1]float64 // exact floats, from 1 on
	ints   [16]uint64                // up to 10^8
	bits   []power                   // all, from lowestPower on
	above  []power                   // the same, but rounded up
	quick  [8]scale                  // 10^-14 and the seven below
}

var powersOfTen = sync.OnceValue(func() *tens {
	t := &tens{}
	for i, v := 0, 1.0; i <= highestPower; i, v = i+1, v*10 {
		t.floats[i] = v
		if i <= 8 {
			t.ints[i] = uint64(v)
		}
	}
	for e := lowestPower; e <= highestPower; e++ {
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(e, -e))), nil)
		if e < 0 {
			ten.Quo(new(big.Int).Lsh(big.NewInt(1), 1024), ten)
		} else {
			ten.Lsh(ten, 128)
		}
		cut := uint(ten.BitLen() - 128)
		exact := ten.TrailingZeroBits() >= cut && e >= 0
		ten.Rsh(ten, cut)
		t.bits = append(t.bits, powerOf(ten))
		if !exact {
			ten.Add(ten, big.NewInt(1))
		}
		t.above = append(t.above, powerOf(ten))
	}
	for n := range t.quick {
		e := -14 - n
		t.quick[n] = scale{t.bits[e-lowestPower].high, uint64(exponentOf(e) - 2)}
	}
	return t
})

// powerOf converts v, which must have 128 bits.
func powerOf(v *big.Int) power {
	low := new(big.Int).And(v, new(big.Int).SetUint64(math.MaxUint64))
	return power{new(big.Int).Rsh(v, 64).Uint64(), low.Uint64()}
}

// plainFloat reads the number at offset at, and returns its end. It returns false if there
// is something else, or if the number needs the slow way.
func (s *scanner) plainFloat(at int) (v float64, end int, ok bool) {
	data := s.data
	minus := at < len(data) && data[at] == '-'
	if minus {
		at++
	}
	start := at
	mantissa, at := s.tens.digits(data, at, 0)
	n, exponent, point := at-start, 0, at
	if n == 0 || n > 1 && data[start] == '0' || at == len(data) {
		return 0, at, false
	}
	if data[at] == '.' {
		mantissa, at = s.tens.digits(data, at+1, mantissa)
		exponent = point + 1 - at
		if n -= exponent; exponent == 0 || at == len(data) {
			return 0, at, false
		}
	}
	if n > 19 && n-leadingZeros(data[start:at]) > 19 {
		return 0, at, false
	}
	whole := at == point
	if data[at]|0x20 == 'e' {
		var e int
		if e, at, ok = shortExponent(data, at+1); !ok {
			return 0, at, false
		}
		exponent, whole = exponent+e, false
	}
	if v, ok = s.tens.scaled(mantissa, exponent); minus && (v != 0 || !whole) {
		v = -v
	}
	return v, at, ok
}

// quickFloats fills row with the next numbers while they have the usual form of a
// log-probability: one digit, a point, 14 to 21 digits, and a comma followed by more data.
func (s *scanner) quickFloats(row []float64) []float64 {
	data, tens := s.data[s.at:], s.tens
	for len(data) >= 27 && len(row) < cap(row) {
		sign, text := uint64(0), (*[26]byte)(data)
		if text[0] == '-' {
			sign, text = 1<<63, (*[26]byte)(data[1:])
		}
		// After the point there are n optional digits, then six, then eight.
		head := binary.LittleEndian.Uint64(text[2:])
		end := nonDigits(binary.LittleEndian.Uint64(text[16:]))
		if end == 0 || text[1] != '.' || nonDigits(head)|nonDigits(binary.LittleEndian.Uint64(text[8:])) != 0 {
			break
		}
		n := bits.TrailingZeros64(end) / 8 & 7
		first := uint64(text[0] - '0')
		if text[16+n] != ',' || first > 9 {
			break
		}
		mantissa := first*tens.ints[n] + eight(head, n)
		if mantissa >= 1e5 {
			break
		}
		mantissa = mantissa*1e14 + eight(binary.LittleEndian.Uint64(text[n:])&^0xffff, 8)*1e8 + eight(binary.LittleEndian.Uint64(text[n+8:]), 8)
		v, sure := roughly(mantissa, &tens.quick[n])
		if !sure {
			break
		}
		row = append(row, math.Float64frombits(sign|v))
		n += 17 + int(sign>>63)
		if data[n] == ' ' {
			n++
		}
		data = data[n:]
	}
	s.at = len(s.data) - len(data)
	return row
}

// A scale is a power of ten: its first 64 bits, and the exponent of the float that is a
// 64-bit number times it.
type scale struct{ bits, exponent uint64 }

// exponentOf returns the biased exponent of the float 2^64 times a power of ten.
func exponentOf(ten int) int {
	// 217706/65536 is close enough to the binary logarithm of ten in this range.
	return (217706*ten)>>16 + 64 + 1023
}

// roughly returns the bits of the float nearest to mantissa times a power of ten; false if
// 64 bits of the power do not decide it. See scaled.
func roughly(mantissa uint64, ten *scale) (v uint64, sure bool) {
	shift := bits.LeadingZeros64(mantissa)
	high, _ := bits.Mul64(mantissa<<(shift&63), ten.bits)
	top := high >> 63
	m := high >> ((top + 9) & 63)
	return (ten.exponent-uint64(shift)+top)<<52 + (m+m&1)>>1, (high+1)&0x1ff > 1
}

// digits reads digits that follow those in v. The result is wrong if there are more than
// nineteen in total, which the caller must check.
func (t *tens) digits(data []byte, at int, v uint64) (uint64, int) {
	for at+8 <= len(data) {
		x := binary.LittleEndian.Uint64(data[at:])
		n := digitsIn(x)
		v = v*t.ints[n&15] + eight(x, n)
		at += n
		if n < 8 {
			return v, at
		}
	}
	for at < len(data) && data[at]-'0' <= 9 {
		v = v*10 + uint64(data[at]-'0')
		at++
	}
	return v, at
}

// nonDigits sets the highest bit of the first of eight bytes that is not a digit. Lower
// bits are zero, higher ones undefined.
func nonDigits(x uint64) uint64 {
	x ^= 0x3030303030303030
	return (x + 0x7676767676767676 | x) & 0x8080808080808080
}

// digitsIn counts the digits at the beginning of eight bytes. The first byte is the lowest.
func digitsIn(x uint64) int {
	return bits.TrailingZeros64(nonDigits(x)) / 8
}

// eight returns the number written in the first n of eight bytes, which must be digits.
// Each step joins neighbours, in all lanes at once.
func eight(x uint64, n int) uint64 {
	x = x & 0x0f0f0f0f0f0f0f0f << ((64 - 8*n) & 127) // zeros in front
	x = x * (1 + 10<<8) >> 8 & 0x00ff00ff00ff00ff
	x = x * (1 + 100<<16) >> 16 & 0x0000ffff0000ffff
	return x * (1 + 10000<<32) >> 32
}

// leadingZeros counts the zeros before the first significant digit.
func leadingZeros(text []byte) int {
	n := 0
	for _, c := range text {
		if c == '0' {
			n++
		} else if c != '.' {
			break
		}
	}
	return n
}

// shortExponent reads an exponent of one to three digits, and returns its end.
func shortExponent(data []byte, at int) (e, end int, ok bool) {
	minus := at < len(data) && data[at] == '-'
	if minus || at < len(data) && data[at] == '+' {
		at++
	}
	start := at
	for at < len(data) && data[at]-'0' <= 9 && at < start+4 {
		e = e*10 + int(data[at]-'0')
		at++
	}
	if minus {
		e = -e
	}
	return e, at, at > start && at < start+4
}

// scaled returns mantissa · 10^exponent, rounded to the nearest float; false if the method
// cannot decide. It is the algorithm of Eisel and Lemire (D. Lemire, "Number parsing at a
// gigabyte per second", 2021): 64 bits of the mantissa times 128 bits of the power decide
// the rounding of nearly all numbers.
func (t *tens) scaled(mantissa uint64, exponent int) (float64, bool) {
	if mantissa == 0 {
		return 0, true
	}
	if exponent < lowestPower || exponent > highestPower {
		return 0, false
	}
	if mantissa < 1<<53 && exponent >= -highestPower { // both are exact floats, and one operation rounds once
		if exponent < 0 {
			return float64(mantissa) / t.floats[-exponent], true
		}
		return float64(mantissa) * t.floats[exponent], true
	}
	ten := t.bits[exponent-lowestPower]
	shift := bits.LeadingZeros64(mantissa)
	mantissa <<= shift
	exponent2 := exponentOf(exponent) - shift

	high, low := bits.Mul64(mantissa, ten.high)
	if high&0x1ff == 0x1ff && low+mantissa < mantissa { // the part cut off might carry
		high2, low2 := bits.Mul64(mantissa, ten.low)
		sum, carry := bits.Add64(low, high2, 0)
		high, low = high+carry, sum
		if high&0x1ff == 0x1ff && low == math.MaxUint64 && low2+mantissa < mantissa {
			return 0, false
		}
	}
	top := high >> 63
	m := high >> (top + 9)
	exponent2 -= int(1 ^ top)
	if low == 0 && high&0x1ff == 0 && m&3 == 1 { // it may be halfway between two floats
		return 0, false
	}
	m = (m + m&1) >> 1
	if m>>53 > 0 {
		m >>= 1
		exponent2++
	}
	if exponent2 < 1 || exponent2 > 2046 {
		return 0, false
	}
	return math.Float64frombits(uint64(exponent2)<<52 | m&(1<<52-1)), true
}
