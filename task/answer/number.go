package answer

import (
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// Share returns len(part)/len(whole), both in code points. It is not finite if whole is
// empty.
func Share(part, whole string) float64 {
	return float64(utf8.RuneCountInString(part)) / float64(utf8.RuneCountInString(whole))
}

// A Decimal is a finite decimal number: Digits × 10^Exp, negative if Neg.
type Decimal struct {
	Neg    bool
	Digits string // without leading or trailing zeros; empty for zero
	Exp    int64  // 0 for zero
}

// maxExponent limits the magnitude of a written exponent, as Python's decimal module does.
const maxExponent = 999_999_999_999_999_999

// ReadDecimal reads s as Python's decimal.Decimal does: space around it, a sign,
// digits of any script, underscores anywhere, a point, an exponent. Infinities
// and NaN are refused. The cost is linear in len(s).
func ReadDecimal(s string) (d Decimal, ok bool) {
	s = strings.ReplaceAll(strings.TrimFunc(s, Space), "_", "")
	if s != "" && (s[0] == '+' || s[0] == '-') {
		d.Neg = s[0] == '-'
		s = s[1:]
	}
	var digits strings.Builder
	seen, point, places := 0, false, 0
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if r == '.' && !point {
			point = true
			s = s[size:]
			continue
		}
		v := unicode15.Digit(r)
		if v < 0 {
			break
		}
		digits.WriteByte('0' + byte(v))
		seen++
		if point {
			places++
		}
		s = s[size:]
	}
	if seen == 0 {
		return Decimal{}, false
	}
	exp, ok := readExponent(s)
	if !ok {
		return Decimal{}, false
	}
	text := strings.TrimLeft(digits.String(), "0")
	d.Digits = strings.TrimRight(text, "0")
	if d.Digits == "" {
		return Decimal{}, true // zero has no sign and no exponent
	}
	d.Exp = exp - int64(places) + int64(len(text)) - int64(len(d.Digits))
	return d, true
}

// readExponent reads an optional exponent: e, a sign, and digits.
func readExponent(s string) (exp int64, ok bool) {
	if s == "" {
		return 0, true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return 0, false
	}
	s = s[1:]
	neg := false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if s == "" {
		return 0, false
	}
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		v := unicode15.Digit(r)
		if v < 0 {
			return 0, false
		}
		if exp > (maxExponent-int64(v))/10 {
			return 0, false
		}
		exp = exp*10 + int64(v)
		s = s[size:]
	}
	if neg {
		exp = -exp
	}
	return exp, true
}

// SameDecimal reports whether a and b are the same number, and whether [ReadDecimal] reads
// both.
func SameDecimal(a, b string) (equal, both bool) {
	x, ok := ReadDecimal(a)
	if !ok {
		return false, false
	}
	y, ok := ReadDecimal(b)
	return ok && x == y, ok
}
