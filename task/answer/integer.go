package answer

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

const (
	mostDecimals = 4300   // most digits of a decimal whole number, as in Python
	mostDigits   = 20_000 // most digits of a whole number in another base
)

// ReadInteger reads all of text as Python's int(text, 0) does: space around it, a sign, a
// prefix 0x, 0o or 0b, digits of any script, an underscore between two digits. A decimal
// number other than zero must not begin with a zero. To bound the cost, numbers of more
// than 4,300 decimal digits, or 20,000 in another base, are refused.
func ReadInteger(text string) (n *big.Int, ok bool) {
	text = plainDigits(Trim(text))
	negative := strings.HasPrefix(text, "-")
	if negative || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	base, most := 10, mostDecimals
	if len(text) > 2 && text[0] == '0' {
		switch text[1] | 0x20 {
		case 'x':
			base, most = 16, mostDigits
		case 'o':
			base, most = 8, mostDigits
		case 'b':
			base, most = 2, mostDigits
		}
	}
	if base != 10 {
		text = strings.TrimPrefix(text[2:], "_")
	}
	if text == "" || text[0] == '_' || text[len(text)-1] == '_' || strings.Contains(text, "__") {
		return nil, false
	}
	text = strings.ReplaceAll(text, "_", "")
	if base != 10 {
		text = "0" + strings.TrimLeft(text, "0")
	}
	if len(text) > most || text[0] == '+' || text[0] == '-' || base == 10 && text[0] == '0' && strings.Trim(text, "0") != "" {
		return nil, false
	}
	n, ok = new(big.Int).SetString(text, base)
	if ok && negative {
		n.Neg(n)
	}
	return n, ok
}

// ReadInt reads all of text as Python's int(text) does: a decimal number as for
// [ReadInteger], but zeros may lead. ok is false if it does not fit an int64.
func ReadInt(text string) (n int64, ok bool) {
	text = plainDigits(Trim(text))
	digits := strings.TrimLeft(text, "+-")
	if len(digits) > mostDecimals || strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	return n, err == nil
}

// plainDigits replaces the decimal digits of all scripts with ASCII digits.
func plainDigits(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Map(plainDigit, text)
		}
	}
	return text
}

func plainDigit(r rune) rune {
	if d := unicode15.Digit(r); d >= 0 {
		return '0' + rune(d)
	}
	return r
}
