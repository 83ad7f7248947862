package mathverify

import (
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/reply"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// sameText compares two answers as text. Words may differ in case. For choices and plain
// whole numbers the result is final: sure is then true.
func sameText(gold, answer string) (same, sure bool) {
	if len(gold) > maxNormal || len(answer) > maxNormal {
		return sameLong(gold, answer)
	}
	g, a := reply.Normal(gold), reply.Normal(answer)
	if g == "" || a == "" {
		return false, false
	}
	if reply.IsChoice(gold) {
		return sameChoice(gold, answer)
	}
	if isSmallChoice(gold, answer) {
		return true, true
	}
	if n, ok := wholeDigits(g); ok {
		if m, ok := wholeDigits(a); ok {
			return n == m, true
		}
	}
	if isWords(g) && isWords(a) && len(g) > 1 && len(a) > 1 {
		word := reply.IsShortWord(g)
		return g == a || unicode15.EqualFold(g, a) && (word || len(g) > 2), word
	}
	return g == a && strings.ContainsFunc(g, func(r rune) bool { return unicode15.IsLetter(r) || unicode15.IsDigit(r) }), false
}

// maxNormal is the greatest length of a text for which we compute the normal form.
const maxNormal = 2000

// sameLong compares long texts, as whole numbers or byte for byte.
func sameLong(gold, answer string) (same, sure bool) {
	g, a := strings.TrimSpace(gold), strings.TrimSpace(answer)
	if n, ok := wholeDigits(g); ok {
		if m, ok := wholeDigits(a); ok {
			return n == m, true
		}
	}
	return g == a, false
}

// isWords reports whether a text has only letters and hyphens.
func isWords(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode15.IsLetter(r) && r != '-' && r != '\'' })
}

// wholeDigits returns a whole number without a plus sign, leading zeros or a fraction of
// zeros.
func wholeDigits(s string) (string, bool) {
	digits := strings.TrimPrefix(s, "+")
	negative := strings.HasPrefix(digits, "-")
	digits = strings.TrimPrefix(digits, "-")
	if whole, part, found := strings.Cut(digits, "."); found && strings.Trim(part, "0") == "" && whole != "" {
		digits = whole
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return "0", true
	}
	if negative {
		return "-" + digits, true
	}
	return digits, true
}
