package reply

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// unitWord matches a value and the word of another language that it counts, as in "3.5 mètres".
var unitWord = compiled.Regexp(`^(.*[\d)}\]$])\s*(?:[A-Za-z]*[^\x00-\x7F\P{L}\p{Greek}ℝℤℚℕℂ]\p{L}*(?: \p{L}+){0,2})$`)

// tailStart matches what separates a value from words that only follow it.
var tailStart = compiled.Regexp(`[,;] | \(| [—–] | and (?:nothing|that|no)\b`)

// maxTail is the greatest length of words that follow a value.
const maxTail = 120

// withoutTail drops the words after a complete value and a comma, or in brackets, that say nothing
// else about it: "48, altogether". Digits, limits and other answers in them say something.
func withoutTail(text string) string {
	if len(text) > maxHint || !strings.ContainsAny(text, ",;(—–") && !strings.Contains(text, " and ") {
		return text
	}
	masked := outsideFormulas(text)
	loc := tailStart().FindStringIndex(masked)
	if loc == nil || len(text)-loc[0] > maxTail {
		return text
	}
	head, rest := strings.TrimRight(text[:loc[0]], " *"), strings.Trim(text[loc[0]:], " .!*,;(—–")
	if loc[1]-loc[0] == 2 && masked[loc[1]-1] == '(' {
		inside, ok := strings.CutSuffix(rest, ")")
		if !ok || strings.ContainsAny(inside, "()") {
			return text
		}
		rest = inside
	}
	if !strings.ContainsAny(head, "0123456789") || !bare(head) || strings.Count(head, " ") > maxNouns || strings.ContainsAny(rest, "0123456789=<>$\\+^√π∞½[]{}|/") {
		return text
	}
	if len(cues(lower(rest), bounds|claims|retracts)) > 0 {
		return text
	}
	if !slices.ContainsFunc(strings.Fields(rest), func(word string) bool { return isProse(word) || listed(" all sum ", lower(word)) }) {
		return text
	}
	return head
}

// withoutWords drops words after a value that we could not read with it, and that do not limit it: "9 in
// any case".
func withoutWords(text string) string {
	if len(text) > maxTail || !strings.Contains(text, " ") || !startsWithValue(text) || Wordless(text) {
		return text
	}
	for i := strings.LastIndexByte(text, ' '); i > 0 && len(text)-i < maxOf; i = strings.LastIndexByte(text[:i], ' ') {
		if said := lower(text[i+1:]); phraseAt(said, keeps).text == said {
			text = text[:i]
			break
		}
	}
	found := expressionOf(text)
	rest, ok := strings.CutPrefix(text, found)
	rest = strings.TrimRight(rest, " .!")
	words := strings.Fields(rest)
	if !ok || found == "" || len(words) == 0 || strings.IndexFunc(rest, func(r rune) bool { return r != ' ' && !unicode15.IsLetter(r) }) >= 0 || len(cues(lower(rest), bounds|claims|retracts)) > 0 {
		return text
	}
	if len(words) > 2 && !strings.ContainsAny(found, "=") || strings.IndexFunc(rest, func(r rune) bool { return r >= 0xC0 && r < 0x250 }) >= 0 && len(words) > 1 {
		return found
	}
	if said := lower(strings.TrimSpace(rest)); phraseAt(said, keeps).text == said || words[0] == "it" || listed(verbals, words[0]) {
		return found
	}
	if _, err := expr.Parse(expr.Fold(text)); err == nil {
		return text
	}
	return found
}
