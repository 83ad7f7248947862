package answer

import (
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// ReadFloat reads s as Python's float does: space around it, a sign, digits of any script
// with single underscores between them, a point, an exponent. A number beyond the range
// becomes an infinity; the words for infinity and NaN are refused. The cost is linear in
// len(s).
func ReadFloat(s string) (v float64, ok bool) {
	if strings.Contains(s, "_") && !underscoresBetweenDigits(s) {
		return 0, false
	}
	d, ok := ReadDecimal(s)
	if !ok {
		return 0, false
	}
	const most = 800 // more digits cannot change the result
	if len(d.Digits) > most {
		d.Exp += int64(len(d.Digits) - most)
		d.Digits = d.Digits[:most-1] + "1" // the 1 stands for the rest, which is not zero
	}
	v, _ = strconv.ParseFloat("0"+d.Digits+"e"+strconv.FormatInt(d.Exp, 10), 64) // out of range, so an infinity
	if d.Neg {
		v = -v
	}
	return v, true
}

// underscoresBetweenDigits reports whether each underscore of s has a digit on both
// sides.
func underscoresBetweenDigits(s string) bool {
	runes := []rune(s)
	for i, r := range runes {
		if r == '_' && (i == 0 || i == len(runes)-1 || unicode15.Digit(runes[i-1]) < 0 || unicode15.Digit(runes[i+1]) < 0) {
			return false
		}
	}
	return true
}
