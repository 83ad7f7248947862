package mathverify

import "strings"

// wrap begins the text of a letter, and space may follow it.
const (
	wrap  = `(?:\\(?:text|textbf|textup|textsf|mathbf|mathrm|textrm|mbox|bf)\s*\{\s*)`
	space = `(?:\\[ ,;:!]|\\q?quad\b|[~\s*])*`
)

var (
	// choice matches the letter of a multiple choice, alone or in brackets.
	choice = compiled(`^[\s*$]*` + wrap + `*\s*\(?\s*` + wrap + `*([A-J])\}*\s*\)?\s*\}*[\s.*$]*$`)

	// smallChoice matches a small letter as a choice, which needs a bracket or \text.
	smallChoice = compiled(`^[\s*$]*(?:` + wrap + `*\(?\s*` + wrap + `*([a-j])\}*\s*\)\s*\}*|` + wrap + `([a-j])\s*\})[\s.*$]*$`)

	// labelled matches the letter of a choice before its value: "(B) 12".
	labelled = compiled(`^[\s*$]*` + wrap + `?\s*(?:\(\s*` + wrap + `?([A-J])\s*\}?\s*\)|([A-J])\s*\}?\s*[).:])` + space + `\}?` + space + `(\S.*)$`)

	// label matches the letter of another choice within a text.
	label = compiled(`(?:^|[^A-Za-z\\])[A-J]\s*[).:]`)
)

// maxSmall is the greatest length of a small letter as a choice.
const maxSmall = 20

// isChoice reports whether a reference is the letter of a multiple choice.
func isChoice(gold string) bool { return choiceOf(gold) != "" }

// choiceOf returns the capital letter of a multiple choice, or nothing. A small letter counts
// in brackets or in \text.
func choiceOf(text string) string {
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

// sameChoice compares an answer with the letter of a choice. The answer may be a letter, or
// the letter before its value; a small letter on its own counts if the reference is small too.
func sameChoice(gold, answer string) (same, sure bool) {
	letter := choiceOf(answer)
	if letter == "" {
		letter, _ = withoutLabel(answer)
	}
	if bare := strings.Trim(answer, " $*."); letter == "" && len(bare) == 1 && !strings.Contains(gold, choiceOf(gold)) {
		letter = strings.ToUpper(bare)
	}
	return letter == choiceOf(gold), letter != "" || len(normal(answer)) > 3
}

// smallLetters lists the variables that a choice in brackets may stand for. Others are more
// likely numbers and functions: e, i, f.
const smallLetters = "abcd"

// isSmallChoice reports whether an answer is a choice in brackets for a reference that is a
// small letter.
func isSmallChoice(gold, answer string) bool {
	gold = strings.Trim(gold, " $")
	return len(gold) == 1 && strings.Contains(smallLetters, gold) && strings.ContainsAny(answer, ")}") && choiceOf(answer) == strings.ToUpper(gold)
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

// withoutLabel splits the letter of a choice from the value after it. Without one, or with
// several, the letter is empty.
func withoutLabel(text string) (letter, value string) {
	if len(text) > maxNormal || !mayHaveLabel(text) {
		return "", text
	}
	m := labelled().FindStringSubmatch(text)
	if m == nil || label().MatchString(m[3]) {
		return "", text
	}
	return m[1] + m[2], m[3]
}
