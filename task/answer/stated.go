package answer

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// quotes are pairs of marks around a word.
var quotes = [...][2]string{{`"`, `"`}, {"'", "'"}, {"“", "”"}, {"‘", "’"}}

// leadInRE matches the words before an answer, as in "The answer is 7" or "**Answer:** 7".
var leadInRE = regexp.MustCompile(`^(?:\*\*|__|#+ )?(?i:(?:so|thus|hence|therefore),? )?(?i:(?:the|my|our) )?(?i:(?:final|correct) )?(?i:answer)(?:(?:\*\*|__)?:(?:\*\*|__)?| is:?| =)\s+`)

// stated returns the answer that a text states: without the words "the answer is", quotes or
// asterisks around it, the full stop of a sentence, and the value after an expression that
// has it, as in 6 * 4 = 24. It strips quotes only if quoted is true. If the last thing it
// strips is a full stop, which may belong to the answer, before has it still; otherwise
// before is said.
func stated(text string, quoted bool) (said, before string) {
	const deepest = 8 // one within another
	said, before = text, text
	for range deepest {
		inner, more := undressed(said)
		if !more {
			inner, more = unsaid(said, quoted)
		}
		if !more {
			break
		}
		before = said
		said = Trim(inner)
		if said+"." != before {
			before = said
		}
	}
	if said == text || said == "" {
		return text, text
	}
	return even(said), even(before)
}

// unsaid takes one thing off text that says nothing.
func unsaid(text string, quoted bool) (inner string, ok bool) {
	if inner, ok := introduced(text); ok {
		return inner, true
	}
	for _, marks := range quotes {
		if inner, ok := within(text, marks); ok && quoted {
			return inner, true
		}
	}
	if inner := unquoted(text); quoted && inner != text && inner != "" && strings.IndexByte("[{", inner[0]) >= 0 && json.Valid([]byte(inner)) {
		return inner, true // a list or an object, whose own quotation marks may be escaped
	}
	if inner, ok := within(text, [2]string{"*", "*"}); ok {
		return inner, true
	}
	if inner, ok := strings.CutSuffix(text, "."); ok && endsSentence(inner) {
		return inner, true
	}
	return equated(text)
}

// introduced returns the text after "the answer is".
func introduced(text string) (rest string, ok bool) {
	const longest = 60 // bytes of the words before an answer
	start := text[:min(len(text), longest)]
	if !strings.Contains(start, "nswer") && !strings.Contains(start, "NSWER") {
		return "", false
	}
	n := len(leadInRE.FindString(start))
	return text[n:], n > 0
}

// within returns the text between marks that enclose it and do not occur in it.
func within(text string, marks [2]string) (inner string, ok bool) {
	inner, opened := strings.CutPrefix(text, marks[0])
	inner, closed := strings.CutSuffix(inner, marks[1])
	return inner, opened && closed && inner != "" && !strings.Contains(inner, marks[0]) && !strings.Contains(inner, marks[1])
}

// endsSentence reports whether a full stop after text may end a sentence: text ends with a
// letter, a digit, or a mark that closes something, or it is a board of several lines.
func endsSentence(text string) bool {
	if text == "" {
		return false
	}
	last := text[len(text)-1]
	if strings.IndexByte(text, '\n') >= 0 {
		return last != ' ' && last != '\n'
	}
	return operand(last) || last >= utf8.RuneSelf || strings.IndexByte(")]}\"'`*$#", last) >= 0
}

// equated returns an arithmetic expression without its value after it.
func equated(text string) (expression string, ok bool) {
	const longest = 300 // bytes
	expression, value, found := strings.Cut(text, "=")
	if !found || len(text) > longest {
		return "", false
	}
	left, err := ReadArithmetic(expression)
	if err != nil || len(left.Numbers) < 2 {
		return "", false
	}
	right, err := ReadArithmetic(value)
	if err != nil || len(right.Numbers) != 1 {
		return "", false
	}
	a, err := left.Value()
	if err != nil {
		return "", false
	}
	b, err := right.Value()
	return expression, err == nil && a.Cmp(b) == 0
}
