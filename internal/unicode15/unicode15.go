// Package unicode15 is package unicode with the characters of Unicode 15, whichever toolchain builds it: Go 1.26
// has the tables of that edition, and Go 1.27 those of 17.
package unicode15

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Two letters changed category.
const (
	stop = 'ʕ'          // U+0295, a small letter in Unicode 15
	ra   = '\U0001171e' // a mark without space in Unicode 15
)

// Is reports whether r is in table, a general category or a script of package unicode, or one of its properties
// but Other_Alphabetic and Other_Grapheme_Extend.
func Is(table *unicode.RangeTable, r rune) bool {
	switch {
	case r == stop && (table == unicode.Ll || table == unicode.Lo):
		return table == unicode.Ll
	case r == ra && (table == unicode.Mn || table == unicode.Mc):
		return table == unicode.Mn
	}
	return unicode.Is(table, r) && !Newer(r)
}

// In reports whether r is in one of the tables; see [Is].
func In(r rune, tables ...*unicode.RangeTable) bool {
	for _, table := range tables {
		if Is(table, r) {
			return true
		}
	}
	return false
}

// IsLetter reports whether r is a letter.
func IsLetter(r rune) bool { return unicode.IsLetter(r) && !Newer(r) }

// IsNumber reports whether r is a number, of digits or not.
func IsNumber(r rune) bool { return unicode.IsNumber(r) && !Newer(r) }

// IsDigit reports whether r is a decimal digit.
func IsDigit(r rune) bool { return unicode.IsDigit(r) && !Newer(r) }

// IsUpper reports whether r is a capital letter.
func IsUpper(r rune) bool { return unicode.IsUpper(r) && !Newer(r) }

// IsLower reports whether r is a small letter.
func IsLower(r rune) bool { return r == stop || unicode.IsLower(r) && !Newer(r) }

// IsTitle reports whether r is a letter in title case.
func IsTitle(r rune) bool { return unicode.IsTitle(r) && !Newer(r) }

// IsPrint reports whether Go prints r as it is: a letter, mark, number, punctuation mark, symbol or ASCII space.
func IsPrint(r rune) bool { return unicode.IsPrint(r) && !Newer(r) }

// IsGraphic is [IsPrint] with all spaces.
func IsGraphic(r rune) bool { return unicode.IsGraphic(r) && !Newer(r) }

// Digit returns the value of a decimal digit of any script, or -1. In Unicode, the ten
// digits of a script follow each other, from zero up.
func Digit(r rune) int {
	if r < utf8.RuneSelf {
		if r >= '0' && r <= '9' {
			return int(r - '0')
		}
		return -1
	}
	if Newer(r) {
		return -1
	}
	if r <= 0xffff {
		at, found := slices.BinarySearchFunc(unicode.Nd.R16, uint16(r), func(span unicode.Range16, c uint16) int {
			return within(c, span.Lo, span.Hi)
		})
		if found {
			return int(r-rune(unicode.Nd.R16[at].Lo)) % 10
		}
		return -1
	}
	at, found := slices.BinarySearchFunc(unicode.Nd.R32, uint32(r), func(span unicode.Range32, c uint32) int {
		return within(c, span.Lo, span.Hi)
	})
	if found {
		return int(r-rune(unicode.Nd.R32[at].Lo)) % 10
	}
	return -1
}

// within is 0 for c from lo to hi, negative if both are below c, and positive if both
// are above.
func within[T uint16 | uint32](c, lo, hi T) int {
	switch {
	case hi < c:
		return -1
	case lo > c:
		return 1
	}
	return 0
}

// ToUpper returns the capital letter of r.
func ToUpper(r rune) rune { return known(r, unicode.ToUpper(r)) }

// ToLower returns the small letter of r.
func ToLower(r rune) rune { return known(r, unicode.ToLower(r)) }

// ToTitle returns r in title case.
func ToTitle(r rune) rune { return known(r, unicode.ToTitle(r)) }

// known returns changed, a form of r, or r if Unicode 15 does not know one of them.
func known(r, changed rune) rune {
	if r != changed && (Newer(r) || Newer(changed)) {
		return r
	}
	return changed
}

// SimpleFold returns the next character that differs from r in case only, as [unicode.SimpleFold] does.
func SimpleFold(r rune) rune {
	switch r {
	case 0x390, 0x1fd3, 0x3b0, 0x1fe3, 0xfb05, 0xfb06: // pairs since Unicode 15.1
		return r
	}
	return known(r, unicode.SimpleFold(r))
}

// EqualFold reports whether s and t are equal but for case, as [strings.EqualFold] does.
func EqualFold(s, t string) bool {
	if !strings.EqualFold(s, t) {
		return false
	}
	for s != t { // they have the same number of characters
		a, n := utf8.DecodeRuneInString(s)
		b, m := utf8.DecodeRuneInString(t)
		if a != b && (SimpleFold(a) == a || SimpleFold(b) == b) {
			return false
		}
		s, t = s[n:], t[m:]
	}
	return true
}
