package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// textWidth is how many characters a line of a list or a page has at most, if its words
// allow it.
const textWidth = 80

// Wrap breaks the lines of text that are longer than the screen at their spaces, and
// begins each line that is not empty with indent.
func Wrap(text, indent string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, part := range WrapLine(line, textWidth-len(indent)) {
			out = append(out, strings.TrimRight(indent+part, " "))
		}
	}
	return strings.Join(out, "\n")
}

// WrapLine breaks a line into lines of at most width characters, or of one longer word.
// All of them begin with the space that the line begins with.
func WrapLine(line string, width int) []string {
	if utf8.RuneCountInString(line) <= width {
		return []string{line}
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(line) {
		switch {
		case current == "":
			current = margin + word
		case utf8.RuneCountInString(current)+1+utf8.RuneCountInString(word) <= width:
			current += " " + word
		default:
			lines = append(lines, current)
			current = margin + word
		}
	}
	return append(lines, current)
}

// Clip shortens text to n characters, the last of them an ellipsis. It does not count
// columns: see [Plain].
func Clip(text string, n int) string {
	runes := []rune(text)
	switch {
	case len(runes) <= n:
		return text
	case n < 1:
		return ""
	}
	return string(runes[:n-1]) + "…"
}

// flow joins parts into lines of less than width columns.
func flow(parts []string, width int) []string {
	var lines []string
	line := ""
	for _, part := range parts {
		part = Clip(part, width-1)
		switch {
		case line == "":
			line = part
		case len([]rune(line))+2+len([]rune(part)) < width:
			line += "  " + part
		default:
			lines, line = append(lines, line), part
		}
	}
	return append(lines, line)
}

// Safe is text of any number of lines without what would command a terminal, or change
// the order in which it shows letters: what a model wrote is hostile.
func Safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode15.IsGraphic(r) {
			return r
		}
		return -1
	}, s)
}

// Plain is a line of text without what would move the cursor or take other than one
// column: what a model wrote is hostile.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode15.IsPrint(r) || unicode15.Is(unicode.Mn, r) || unicode15.Is(unicode.Cf, r):
			return -1
		case r >= 0x1100 && !unicode15.Is(unicode.Latin, r) && wide(r):
			return '?'
		}
		return r
	}, s)
}

// wide reports whether a terminal gives r two columns, roughly: East Asian letters and
// pictures (Unicode Standard Annex 11).
func wide(r rune) bool {
	return unicode15.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0xFF00 && r <= 0xFF60 || r >= 0x1F000
}
