package codegrade

import (
	"math"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// Same reports whether an output equals the expected one, in any way but [Checker]. Empty means
// [Lines]. Its time is linear in the length of both.
func (c Compare) Same(expected, output string) bool {
	switch c {
	case Exact:
		return output == expected
	case Trim:
		return strings.TrimRight(output, "\n") == strings.TrimRight(expected, "\n")
	case Tokens:
		return sameWords(expected, output, func(a, b string) bool { return a == b })
	case LCB:
		return sameLines(expected, output, func(a, b string) bool { return a == b || sameWords(a, b, sameDecimal) })
	}
	return sameLines(expected, output, sameLine)
}

// sameLines compares texts line by line, without space at their ends and those of the lines.
func sameLines(expected, output string, same func(a, b string) bool) bool {
	expected, output = strings.TrimSpace(expected), strings.TrimSpace(output)
	for {
		a, restA, moreA := strings.Cut(expected, "\n")
		b, restB, moreB := strings.Cut(output, "\n")
		if moreA != moreB || !same(strings.TrimSpace(a), strings.TrimSpace(b)) {
			return false
		}
		if !moreA {
			return true
		}
		expected, output = restA, restB
	}
}

// sameWords compares texts word by word.
func sameWords(expected, output string, same func(a, b string) bool) bool {
	for {
		a, restA := nextWord(expected)
		b, restB := nextWord(output)
		if a == "" || b == "" {
			return a == b
		}
		if !same(a, b) {
			return false
		}
		expected, output = restA, restB
	}
}

// nextWord returns the first word of a text, and what follows it. No word is empty.
func nextWord(text string) (word, rest string) {
	from := 0
	for from < len(text) && isSpace(text[from]) {
		from++
	}
	to := from
	for to < len(text) && !isSpace(text[to]) {
		to++
	}
	return text[from:to], text[to:]
}

// isSpace reports whether a byte parts words.
func isSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// sameLine compares two lines: as texts in lower case, or as numbers.
func sameLine(expected, output string) bool {
	return expected == output || sameNumber(expected, output) || lower(expected) == lower(output)
}

// lower returns a text in lower case.
func lower(text string) string { return strings.Map(unicode15.ToLower, text) }

// tolerance is the largest relative difference of two numbers that count as equal.
const tolerance = 1e-5

// mostDigits bounds the length of a number that is not a whole one.
const mostDigits = 400

// sameNumber compares two numbers. Whole numbers must be equal; beside an expected whole number
// the output may be off by rounding, such as 2.999999 for 3, but not by a share of its size.
func sameNumber(expected, output string) bool {
	a, wholeA, isA := number(expected)
	b, wholeB, isB := number(output)
	switch {
	case !isA || !isB:
		return false
	case wholeA && wholeB:
		return sameDecimal(expected, output)
	case wholeA && math.Abs(a) >= 1<<53:
		return false
	case wholeA:
		return math.Abs(a-b) <= tolerance*min(1, math.Abs(a))
	}
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), 1e-10)
}

// number reads a decimal number. A whole one has digits alone.
func number(text string) (n float64, whole, ok bool) {
	if text == "" || strings.Trim(text, "+-.0123456789eE") != "" {
		return 0, false, false
	}
	if whole = !strings.ContainsAny(text, ".eE"); !whole && len(text) > mostDigits {
		return 0, false, false
	}
	d, ok := decimalOf(text)
	if !ok {
		return 0, false, false
	}
	if d.point > mostDigits {
		return math.Inf(1), whole, true
	}
	n, _ = strconv.ParseFloat(text, 64)
	return n, whole, ok
}

// A decimal is the number 0.digits · 10^point.
type decimal struct {
	negative bool
	digits   string // without zeros at either end; empty: zero
	point    int64
}

// sameDecimal reports whether two texts are the same decimal number.
func sameDecimal(expected, output string) bool {
	if expected == output && expected != "" {
		_, ok := decimalOf(expected)
		return ok
	}
	a, isA := decimalOf(expected)
	b, isB := decimalOf(output)
	return isA && isB && a == b
}

// decimalOf reads a number such as -12, +.5, 7. or 1e-9, exactly.
func decimalOf(text string) (d decimal, ok bool) {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		d.negative, text = text[0] == '-', text[1:]
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(text[i+1:], 10, 32)
		if err != nil {
			return decimal{}, false
		}
		text, d.point = text[:i], exponent
	}
	before, after, _ := strings.Cut(text, ".")
	if before == "" && after == "" || strings.Trim(before, "0123456789") != "" || strings.Trim(after, "0123456789") != "" {
		return decimal{}, false
	}
	before = strings.TrimLeft(before, "0")
	d.point += int64(len(before))
	if before == "" {
		short := strings.TrimLeft(after, "0")
		d.point -= int64(len(after) - len(short))
		after = short
	}
	d.digits = strings.TrimRight(before+after, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}
