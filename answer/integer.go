package answer

import (
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	mostDecimals = 4300   // digits of a decimal whole number that Python reads
	mostDigits   = 20_000 // digits of one in another base that are read
)

// ReadInteger reads all of text as Python's int(text, 0) does: space around it, a
// sign, a prefix 0x, 0o or 0b, digits of any script, an underscore between two
// digits. A decimal number has no zero in front. Numbers of very many digits are
// not read, so that the cost is bounded.
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

// ReadInt reads all of text as Python's int(text) does, if that is an int64: a
// decimal number in the forms of [ReadInteger], also with zeros in front.
func ReadInt(text string) (n int64, ok bool) {
	text = plainDigits(Trim(text))
	digits := strings.TrimLeft(text, "+-")
	if len(digits) > mostDecimals || strings.HasPrefix(digits, "_") || strings.HasSuffix(digits, "_") || strings.Contains(digits, "__") {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	return n, err == nil
}

// plainDigits writes the decimal digits of all scripts as those of ASCII.
func plainDigits(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.Map(plainDigit, text)
		}
	}
	return text
}

func plainDigit(r rune) rune {
	if d := digit(r); d >= 0 {
		return '0' + rune(d)
	}
	return r
}
