package answer

import (
	"encoding/json"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Notations in which a task reads a list, beside the text that separates its elements.
const (
	AsJSON  = "JSON"          // a list of numbers and texts
	AsLists = "lists in JSON" // a list of lists of texts
)

// List returns the elements of a list in any usual notation: in brackets of any kind or in none;
// separated by semicolons, commas, lines, the word and, arrows, or space, the first of these that
// occurs; with quotation marks around the elements, bullets before them, or a separator after the
// last.
func List(text string) []string {
	text = unbracketed(Trim(plainBrackets(text)))
	if bullet(text) > 0 && strings.Contains(text, "\n") {
		return elements(text, "\n")
	}
	masked := withoutQuoted(text)
	if comma, and := strings.LastIndexByte(masked, ','), strings.LastIndex(masked, " and "); comma >= 0 && and > comma {
		text = text[:and] + "," + text[and+len(" and "):]
	}
	return elements(text, ";", ",", "\n", " and ", "→", "->", " ")
}

// listReading writes the list that text is in the notation that a task reads.
func listReading(text, notation string) string {
	if notation == AsLists {
		return WriteLists(Rows(text))
	}
	list := List(text)
	if notation != AsJSON {
		return strings.Join(list, notation)
	}
	for i, element := range list {
		if !json.Valid([]byte(element)) || element[0] < '-' || element[0] > '9' { // no number
			list[i] = string(appendText(nil, element))
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// elements splits text at the first separator that occurs in it outside quotation marks.
func elements(text string, separators ...string) (list []string) {
	masked, by := withoutQuoted(text), ""
	for _, by = range separators {
		if strings.Contains(masked, by) {
			break
		}
	}
	for from, part := range partsOf(masked, by) {
		if element := unquoted(text[from : from+len(part)]); element != "" {
			list = append(list, element)
		}
	}
	return list
}

// partsOf yields the parts of text between separators with their places, without bullets.
func partsOf(text, by string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		for from := 0; from <= len(text); {
			part, _, _ := strings.Cut(text[from:], by)
			start := from
			if by == "\n" {
				start += bullet(part)
			}
			if !yield(start, text[start:from+len(part)]) {
				return
			}
			from += len(part) + len(by)
		}
	}
}

// bullet returns the length of the mark or the number before an item on its own line.
func bullet(line string) int {
	rest := strings.TrimLeft(line, " ")
	mark, _, spaced := strings.Cut(rest, " ")
	number := strings.TrimRight(mark, ".)")
	switch {
	case !spaced:
	case mark == "-", mark == "*", mark == "•", number != "" && number != mark && strings.Trim(number, "0123456789") == "":
		return len(line) - len(rest) + len(mark)
	}
	return 0
}

// withoutQuoted returns text with other bytes for its quoted parts, which hold no separators. A
// quotation mark opens a part only at the start of an element: the one in D' R is none.
func withoutQuoted(text string) string {
	if !strings.ContainsAny(text, `"'`) {
		return text
	}
	masked := []byte(text)
	for i := 0; i < len(text); i++ {
		if text[i] != '"' && text[i] != '\'' || i > 0 && strings.IndexByte(" \n\t,;|&[({", text[i-1]) < 0 {
			continue
		}
		for end := closingQuote(text, i); i < end; i++ {
			masked[i] = '"'
		}
	}
	return string(masked)
}

// unquoted returns an element without the space and the quotation marks around it.
func unquoted(element string) string {
	element = Trim(element)
	for _, marks := range quotes {
		inner, opened := strings.CutPrefix(element, marks[0])
		inner, closed := strings.CutSuffix(inner, marks[1])
		if !opened || !closed {
			continue
		}
		var text string
		if marks[0] == `"` && strictjson.Unmarshal([]byte(element), &text) == nil {
			return text
		}
		return inner
	}
	return element
}

// plainBrackets writes the brackets of LaTeX as plain ones.
func plainBrackets(text string) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	return strings.NewReplacer(`\left`, "", `\right`, "", `\{`, "{", `\}`, "}", `\[`, "[", `\]`, "]").Replace(text)
}

// unbracketed takes brackets off a text that they enclose.
func unbracketed(text string) string {
	for _, marks := range [...][2]string{{"[", "]"}, {"(", ")"}, {"{", "}"}} {
		if inner, ok := within(text, marks); ok {
			return Trim(inner)
		}
	}
	return text
}
