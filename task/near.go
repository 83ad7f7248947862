package task

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A Near is a variant of a solution that tests a scorer.
type Near struct {
	Kind   string // the change to the solution, for people
	Answer string
}

// Nears derives texts from the solution of a problem, in the same way for every task: the
// solution in other notation, with text around it, altered and cut short. The solution of
// another problem comes last. No text is listed twice, and none equals the solution.
func Nears(solution, other string) []Near {
	list := []Near{
		{"with space around it", " " + solution + "\n"},
		{"with a full stop", solution + "."},
		{"in a sentence", "The answer is " + solution + "."},
		{"after other words", "This gives " + solution},
		{"in quotes", `"` + solution + `"`},
		{"in a list", `["` + solution + `"]`},
		{"in a box", `\boxed{` + solution + `}`},
		{"in upper case", strings.ToUpper(solution)},
		{"in lower case", strings.ToLower(solution)},
		{"without space", strings.Join(strings.Fields(solution), "")},
		{"on one line", strings.Join(strings.Fields(solution), " ")},
		{"twice", solution + " " + solution},
		{"after another answer", other + " " + solution},
		{"before another answer", solution + " " + other},
		{"with a zero in front", "0" + solution},
		{"with a minus in front", "-" + solution},
		{"with the first digit changed", changeAt(solution, strings.IndexFunc(solution, isDecimal))},
		{"with the last digit changed", changeAt(solution, strings.LastIndexFunc(solution, isDecimal))},
		{"with the first letter changed", changeAt(solution, strings.IndexFunc(solution, isLatin))},
		{"with the last letter changed", changeAt(solution, strings.LastIndexFunc(solution, isLatin))},
		{"without its last character", cutRunes(solution, 1)},
		{"without its last word", cutAfter(solution, " ")},
		{"without its last line", cutAfter(solution, "\n")},
		{"without its last element", withoutElement(solution)},
		{"its first half", cutRunes(solution, (len([]rune(solution))+1)/2)},
		{"backwards", reverse(solution)},
		{"with its first and last word exchanged", exchangeEnds(solution)},
		{"nothing", ""},
		{"the solution of another problem", other},
	}
	seen := map[string]bool{solution: true}
	kept := list[:0]
	for _, near := range list {
		if !seen[near.Answer] {
			seen[near.Answer] = true
			kept = append(kept, near)
		}
	}
	return kept
}

func isDecimal(r rune) bool { return r >= '0' && r <= '9' }

func isLatin(r rune) bool { return r < unicode.MaxASCII && unicode15.IsLetter(r) }

// changeAt replaces the digit or letter of s at i with the next one; 9, z and Z wrap
// around. It returns s unchanged if i is negative.
func changeAt(s string, i int) string {
	if i < 0 {
		return s
	}
	next := s[i] + 1
	switch s[i] {
	case '9':
		next = '0'
	case 'z':
		next = 'a'
	case 'Z':
		next = 'A'
	}
	return s[:i] + string(next) + s[i+1:]
}

// cutRunes returns s without its last n code points.
func cutRunes(s string, n int) string {
	runes := []rune(s)
	return string(runes[:max(0, len(runes)-n)])
}

// cutAfter returns s without the text from the last separator on. It returns s unchanged if
// there is none.
func cutAfter(s, separator string) string {
	if i := strings.LastIndex(s, separator); i >= 0 {
		return s[:i]
	}
	return s
}

// withoutElement returns a JSON list without its last element, and any other text unchanged.
func withoutElement(s string) string {
	var list []json.RawMessage
	if strictjson.Unmarshal([]byte(s), &list) != nil || len(list) < 2 {
		return s
	}
	return string(mustJSON(list[:len(list)-1]))
}

// reverse returns the code points of s from the last to the first.
func reverse(s string) string {
	runes := []rune(s)
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	return string(runes)
}

// exchangeEnds swaps the first and the last word of s.
func exchangeEnds(s string) string {
	words := strings.Fields(s)
	if len(words) < 2 {
		return s
	}
	last := len(words) - 1
	words[0], words[last] = words[last], words[0]
	return strings.Join(words, " ")
}
