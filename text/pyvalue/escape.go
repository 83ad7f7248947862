package pyvalue

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Unescape returns the text of a string literal of jinja2, given without its quotes. The escapes
// are Python's; an unknown one stands for itself. fault is an invalid escape.
func Unescape(s string) (text, fault string) {
	at := strings.IndexByte(s, '\\')
	if at < 0 {
		return s, ""
	}
	var b strings.Builder
	for ; at >= 0; at = strings.IndexByte(s, '\\') {
		b.WriteString(s[:at])
		n, valid := escape(&b, s[at:])
		if !valid {
			return "", strconv.Quote(s[at:min(len(s), at+n)])
		}
		s = s[at+n:]
	}
	b.WriteString(s)
	return b.String(), ""
}

// escape writes the character of the escape at the start of s, and returns the length of the
// escape.
func escape(b *strings.Builder, s string) (length int, valid bool) {
	const plain, signs = `\'"abfnrtv`, "\\'\"\a\b\f\n\r\t\v"
	c := s[1]
	if i := strings.IndexByte(plain, c); i >= 0 {
		b.WriteByte(signs[i])
		return 2, true
	}
	switch {
	case c == '\n':
		return 2, true
	case '0' <= c && c <= '7':
		n := 2
		for n < len(s) && n < 4 && '0' <= s[n] && s[n] <= '7' {
			n++
		}
		return n, writeCode(b, s[1:n], 8)
	case c == 'x':
		return hexEscape(b, s, 4)
	case c == 'u':
		return hexEscape(b, s, 6)
	case c == 'U':
		return hexEscape(b, s, 10)
	case c == 'N':
		return 2, false // characters by name
	case c >= utf8.RuneSelf:
		// jinja2 first writes the character as an escape; this backslash then escapes that
		// one's.
		r, size := utf8.DecodeRuneInString(s[1:])
		quoted := strconv.QuoteRuneToASCII(r)
		if r < 0x100 {
			quoted = `'\x` + strconv.FormatInt(int64(r), 16) + `'`
		}
		b.WriteString(quoted[1 : len(quoted)-1])
		return 1 + size, true
	}
	b.WriteByte('\\')
	return 1, true
}

// hexEscape writes the character of an escape with length hexadecimal digits.
func hexEscape(b *strings.Builder, s string, length int) (int, bool) {
	if len(s) < length {
		return len(s), false
	}
	return length, writeCode(b, s[2:length], 16)
}

// writeCode writes the character of a code point.
func writeCode(b *strings.Builder, digits string, base int) bool {
	n, err := strconv.ParseUint(digits, base, 32)
	if err != nil || !utf8.ValidRune(rune(min(n, utf8.MaxRune+1))) { // half a surrogate pair is not text
		return false
	}
	b.WriteRune(rune(n))
	return true
}
