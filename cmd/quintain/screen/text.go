package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// textWidth is the largest width of a line in a list or page, in characters, if its words
// allow it.
const textWidth = 80

// Wrap breaks lines of text that are longer than the screen at their spaces, and indents
// lines that are not empty.
func Wrap(text, indent string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, part := range WrapLine(line, textWidth-len(indent)) {
			out = append(out, strings.TrimRight(indent+part, " "))
		}
	}
	return strings.Join(out, "\n")
}

// WrapLine breaks a line into lines of at most width characters, or of one longer word. Each
// begins with the leading space of the line.
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

// Clip shortens text to n characters, with an ellipsis at the end. It does not count
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

// Safe removes characters from text that command a terminal or change the order of its
// letters. Text of a model is hostile.
func Safe(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode15.IsGraphic(r) {
			return r
		}
		return -1
	}, s)
}

// Plain removes or replaces characters of a line that move the cursor or do not take exactly
// one column. Text of a model is hostile.
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
