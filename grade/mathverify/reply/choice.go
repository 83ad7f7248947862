package reply

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// wrap begins the text of a letter, and space may follow it.
const (
	wrap  = `(?:\\(?:text|textbf|textup|textsf|mathbf|mathrm|textrm|mbox|bf)\s*\{\s*)`
	space = `(?:\\[ ,;:!]|\\q?quad\b|[~\s*])*`
)

var (
	// choice matches the letter of a multiple choice, alone or in brackets.
	choice = compiled.Regexp(`^[\s*$]*` + wrap + `*\s*\(?\s*` + wrap + `*([A-J])\}*\s*\)?\s*\}*[\s.*$!]*$`)

	// smallChoice matches a small letter as a choice, which needs a bracket or \text.
	smallChoice = compiled.Regexp(`^[\s*$]*(?:` + wrap + `*\(?\s*` + wrap + `*([a-j])\}*\s*\)\s*\}*|` + wrap + `([a-j])\s*\})[\s.*$]*$`)

	// labelled matches the letter of a choice before its value: "(B) 12".
	labelled = compiled.Regexp(`^[\s*$]*` + wrap + `?\s*(?:\(\s*` + wrap + `?([A-J])\s*\}?\s*\)|([A-J])\s*\}?\s*[).:])` + space + `\}?` + space + `(\S.*)$`)

	// label matches the letter of another choice within a text.
	label = compiled.Regexp(`(?:^|[^A-Za-z\\])[A-J]\s*[).:]`)
)

// maxSmall is the greatest length of a small letter as a choice.
const maxSmall = 20

// IsChoice reports whether a reference is the letter of a multiple choice.
func IsChoice(gold string) bool { return Choice(gold) != "" }

// Choice returns the capital letter of a multiple choice, or nothing. A small letter counts
// in brackets or in \text.
func Choice(text string) string {
	if len(text) > 60 {
		return ""
	}
	if strings.ContainsAny(text, "ABCDEFGHIJ") {
		if m := choice().FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	if n := len(text); n > 1 && n <= maxSmall && (strings.IndexByte(text, ')') >= 0 || strings.HasPrefix(text, `\text`)) && strings.Trim(text, "0123456789") == text {
		if m := smallChoice().FindStringSubmatch(text); m != nil {
			return strings.ToUpper(m[1] + m[2])
		}
	}
	return ""
}

// mayHaveLabel reports whether a letter with a bracket, a point or a colon is near the start of a
// text.
func mayHaveLabel(text string) bool {
	for i := range min(len(text)-1, maxShort/2) {
		if text[i] >= 'A' && text[i] <= 'J' && strings.IndexByte(")}.: ", text[i+1]) >= 0 {
			return true
		}
	}
	return false
}

// WithoutLabel splits the letter of a choice from the value after it. Without one, or with
// several, the letter is empty.
func WithoutLabel(text string) (letter, value string) {
	if len(text) > maxNormal || !mayHaveLabel(text) {
		return "", text
	}
	m := labelled().FindStringSubmatch(text)
	if m == nil || label().MatchString(m[3]) {
		return "", text
	}
	return m[1] + m[2], m[3]
}

// titled matches the letter of a choice before its text: "B - the second law", "Option B".
var titled = compiled.Regexp(`^[\s*$]*` + wrap + `*\s*(?i:(?:the )?(?:option|choice|answer)\s*:?\s*)?` + wrap + `*\s*\(?([A-J])\)?[\s*$}]*(?:$|` + wrap + `?\s*[-–—:,.)(=]` + space + wrap + `?\s*(.*)$)`)

// Labelled returns the letter of a choice that an answer is, perhaps with its text; nothing for
// several.
func Labelled(text string) string {
	if letter := Choice(text); letter != "" {
		return letter
	}
	if letter, _ := WithoutLabel(text); letter != "" {
		return letter
	}
	m := titled().FindStringSubmatch(text[:min(len(text), maxNormal)])
	if m == nil || loneLetter(m[2], 0) >= 0 || label().MatchString(m[2]) {
		return ""
	}
	return m[1]
}
