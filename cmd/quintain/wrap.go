package main

import (
	"strings"
	"unicode/utf8"
)

// screenWidth is how many characters a line of a list or a page has at most, if its words
// allow it.
const screenWidth = 80

// wrapped breaks the lines of text that are longer than the screen at their spaces, and
// begins each line that is not empty with indent.
func wrapped(text, indent string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		for _, part := range wrapLine(line, screenWidth-len(indent)) {
			out = append(out, strings.TrimRight(indent+part, " "))
		}
	}
	return strings.Join(out, "\n")
}

// wrapLine breaks a line into lines of at most width characters, or of one longer word.
// All of them begin with the space that the line begins with.
func wrapLine(line string, width int) []string {
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

// clipped cuts text to n characters, the last of them an ellipsis.
func clipped(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return text
}
