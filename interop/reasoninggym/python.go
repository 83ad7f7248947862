package reasoninggym

import (
	"math"
	"math/big"
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// pyReadFloat reads text as Python's float does, with nan and inf.
func pyReadFloat(text string) (float64, bool) {
	if v, ok := answer.ReadFloat(text); ok {
		return v, true
	}
	sign, word := 1, pyLower(answer.Trim(text))
	if strings.HasPrefix(word, "-") {
		sign = -1
	}
	if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+") {
		word = word[1:]
	}
	switch word {
	case "inf", "infinity":
		return math.Inf(sign), true
	case "nan":
		return math.NaN(), true
	}
	return 0, false
}

// mostDigits limits the digits of a whole number, as in Python.
const mostDigits = 4300

// pyReadInt reads text as Python's int does, up to 4,300 digits.
func pyReadInt(text string) (*big.Int, bool) {
	text = answer.Trim(text)
	digits := strings.TrimLeft(text, "+-")
	if len(text)-len(digits) > 1 {
		return nil, false
	}
	ascii := make([]byte, 0, len(digits)+1)
	if strings.HasPrefix(text, "-") {
		ascii = append(ascii, '-')
	}
	after := false // after a digit
	for _, r := range digits {
		d := unicode15.Digit(r)
		if d < 0 && (r != '_' || !after) {
			return nil, false
		}
		if after = d >= 0; after {
			ascii = append(ascii, '0'+byte(d))
		}
	}
	if !after || len(ascii) > mostDigits {
		return nil, false
	}
	return new(big.Int).SetString(string(ascii), 10)
}

// pyLines splits text as Python's str.splitlines does.
func pyLines(text string) []string {
	var all []string
	for text != "" {
		end := strings.IndexFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029", r) })
		if end < 0 {
			return append(all, text)
		}
		all = append(all, text[:end])
		switch {
		case strings.HasPrefix(text[end:], "\r\n"):
			end++
		case strings.HasPrefix(text[end:], "\u0085"):
			end++
		case strings.HasPrefix(text[end:], "\u2028") || strings.HasPrefix(text[end:], "\u2029"):
			end += 2
		}
		text = text[end+1:]
	}
	return all
}

// pyInWord reports whether r belongs to a word of Python's regular expressions.
func pyInWord(r rune) bool { return r == '_' || unicode15.IsLetter(r) || unicode15.IsNumber(r) }

// pyLower returns text in lower case, character by character.
func pyLower(text string) string { return strings.Map(unicode15.ToLower, text) }

// pyUpper returns text in upper case, character by character.
func pyUpper(text string) string { return strings.Map(unicode15.ToUpper, text) }
