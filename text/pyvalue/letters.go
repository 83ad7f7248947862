package pyvalue

import (
	"strings"
	"unicode"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// longUpper holds the letters with an upper case of several letters, from Unicode's file
// SpecialCasing.
var longUpper = map[rune]string{
	'ß': "SS", 'ŉ': "ʼN", 'ǰ': "J̌", 'ΐ': "Ϊ́", 'ΰ': "Ϋ́", 'և': "ԵՒ", 'ẖ': "H̱", 'ẗ': "T̈", 'ẘ': "W̊", 'ẙ': "Y̊", 'ẚ': "Aʾ",
	'ﬀ': "FF", 'ﬁ': "FI", 'ﬂ': "FL", 'ﬃ': "FFI", 'ﬄ': "FFL", 'ﬅ': "ST", 'ﬆ': "ST",
}

// upper is str.upper.
func upper(s string) string {
	if isASCII(s) {
		return strings.ToUpper(s)
	}
	var b strings.Builder
	for _, c := range s {
		if long, has := longUpper[c]; has {
			b.WriteString(long)
		} else {
			b.WriteRune(unicode15.ToUpper(c))
		}
	}
	return b.String()
}

// lower is str.lower.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	var b strings.Builder
	before := rune(0)
	for i, c := range s {
		switch {
		case c == 'İ':
			b.WriteString("i̇")
		case c == 'Σ' && isCased(before) && !followsCased(s[i+len("Σ"):]):
			b.WriteRune('ς')
		default:
			b.WriteRune(unicode15.ToLower(c))
		}
		if !isIgnorable(c) {
			before = c
		}
	}
	return b.String()
}

// isCased reports whether c is a letter with a case.
func isCased(c rune) bool {
	return unicode15.IsUpper(c) || unicode15.IsLower(c) || unicode15.IsTitle(c)
}

// isIgnorable reports whether c is a caseless character within a word.
func isIgnorable(c rune) bool {
	return unicode15.In(c, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk) || strings.ContainsRune("'.:·’", c)
}

// followsCased reports whether the next letter of s, if any, belongs to the same word.
func followsCased(s string) bool {
	for _, c := range s {
		if !isIgnorable(c) {
			return isCased(c)
		}
	}
	return false
}

// titleFirst returns the first character of s in title case, and the rest.
func titleFirst(s string) (head, rest string) {
	for i, c := range s {
		if i > 0 {
			return head, s[i:]
		}
		head = string(unicode15.ToTitle(c))
		if long, has := longUpper[c]; has {
			first := []rune(long)
			head = string(first[0]) + strings.ToLower(string(first[1:]))
		}
	}
	return head, ""
}

// capitalize is str.capitalize.
func capitalize(s string) string {
	head, rest := titleFirst(s)
	low := lower(s)
	if isASCII(s) {
		return head + low[len(s)-len(rest):]
	}
	return head + lower(rest)
}

// title is str.title: a letter after another is lower case, all others are title case.
func title(s string) string {
	var b strings.Builder
	within := false
	for i, c := range s {
		switch {
		case within:
			b.WriteString(lower(s[i : i+len(string(c))]))
		default:
			head, _ := titleFirst(string(c))
			b.WriteString(head)
		}
		within = isCased(c)
	}
	return b.String()
}

// swapCase is str.swapcase.
func swapCase(s string) string {
	var b strings.Builder
	for _, c := range s {
		if unicode15.IsUpper(c) {
			b.WriteString(lower(string(c)))
		} else {
			b.WriteString(upper(string(c)))
		}
	}
	return b.String()
}

// caseFold is str.casefold.
func caseFold(s string) string {
	return strings.NewReplacer("ß", "ss", "ς", "σ").Replace(strings.ReplaceAll(lower(s), "ς", "σ"))
}

// isUpper reports whether s has cased letters, all upper case.
func isUpper(s string) bool {
	return strings.ContainsFunc(s, unicode15.IsUpper) && !strings.ContainsFunc(s, func(c rune) bool { return unicode15.IsLower(c) || unicode15.IsTitle(c) })
}

// isLower reports whether s has cased letters, all lower case.
func isLower(s string) bool {
	return strings.ContainsFunc(s, unicode15.IsLower) && !strings.ContainsFunc(s, func(c rune) bool { return unicode15.IsUpper(c) || unicode15.IsTitle(c) })
}
