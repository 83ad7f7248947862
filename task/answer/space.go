package answer

import (
	"strings"
	"unicode"
)

// Space reports whether r is white space in Python: Unicode white space and the four ASCII
// separators.
func Space(r rune) bool {
	if r > ' ' && r < 0x7f { // the usual case
		return false
	}
	return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
}

// Fields splits text at white space, as Python's str.split does.
func Fields(text string) []string { return strings.FieldsFunc(text, Space) }

// Trim returns text without the white space around it, as Python's str.strip does.
func Trim(text string) string { return strings.TrimFunc(text, Space) }

// TrimRight returns text without the white space at its end, as Python's
// str.rstrip does.
func TrimRight(text string) string { return strings.TrimRightFunc(text, Space) }

// Solid returns text without white space. Invalid UTF-8 becomes U+FFFD.
func Solid(text string) string {
	return strings.Map(func(r rune) rune {
		if Space(r) {
			return -1
		}
		return r
	}, text)
}

// Squeeze trims every line of text and leaves single spaces between its words.
func Squeeze(text string) string {
	b := make([]byte, 0, len(text)+1)
	for line := range strings.SplitSeq(text, "\n") {
		for word := range strings.FieldsFuncSeq(line, Space) {
			b = append(append(b, word...), ' ')
		}
		if n := len(b); n > 0 && b[n-1] == ' ' {
			b = b[:n-1]
		}
		b = append(b, '\n')
	}
	return string(b[:len(b)-1])
}
