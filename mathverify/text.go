package mathverify

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/mathverify/expr"
)

// wrappers lists commands that leave their text unchanged.
const wrappers = " text textbf textit textrm textnormal mathrm mathbf mbox operatorname boxed fbox emph "

// looksOnly lists commands that change only the look.
const looksOnly = " left right displaystyle textstyle quad qquad big Big bigl bigr Bigl Bigr "

// normal returns the text normal form: without spaces, dollar signs and commands that
// change only the look. Space between two digits stays.
func normal(text string) string {
	if plainNumber(text) {
		return strings.TrimSuffix(text, ".")
	}
	var b strings.Builder
	depth, wrapped := 0, []int(nil) // the depths of the braces of wrappers
	gap := false
	for text = expr.Fold(text); text != ""; {
		c, next := text[0], text[1:]
		switch {
		case c == '\\':
			var out string
			if out, next = normalCommand(next); out == wrapperMark {
				depth++
				wrapped = append(wrapped, depth)
			} else {
				b.WriteString(out)
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '~':
			gap = true
			text = next
			continue
		case c == '$', strings.HasPrefix(text, "**"):
			next = strings.TrimPrefix(next, "*")
		case c == '{':
			depth++
			b.WriteByte(c)
		case c == '}' && len(wrapped) > 0 && wrapped[len(wrapped)-1] == depth:
			depth--
			wrapped = wrapped[:len(wrapped)-1]
		default:
			if c == '}' {
				depth--
			}
			if n := b.Len(); gap && n > 0 && isDigit(c) && isDigit(b.String()[n-1]) {
				b.WriteByte(' ')
			}
			b.WriteByte(c)
		}
		gap = false
		text = next
	}
	out := strings.TrimRight(b.String(), ",;: ")
	if strings.HasSuffix(out, "...") { // the text goes on
		return strings.TrimLeft(out, ".,;: ")
	}
	return strings.Trim(out, ".,;: ")
}

// wrapperMark stands for a wrapper and its brace.
const wrapperMark = "{text"

// normalCommand returns a command in text normal form, and the text after it.
func normalCommand(text string) (out, rest string) {
	name, rest := commandName(text)
	switch {
	case text == "":
		return "", ""
	case name == "" && strings.IndexByte(",;:! ", text[0]) >= 0:
		return "", text[1:]
	case name == "" && (text[0] == '{' || text[0] == '}'):
		return "\\" + text[:1], text[1:]
	case listed(wrappers, name):
		if inside, is := strings.CutPrefix(strings.TrimLeft(rest, " "), "{"); is {
			return wrapperMark, inside
		}
	case listed(looksOnly, name):
		return "", rest
	case name == "dfrac" || name == "tfrac":
		return `\frac`, rest
	}
	return "\\" + name, rest
}

// commandName splits the text after a backslash into the name of the command, all
// letters, and the rest.
func commandName(text string) (name, rest string) {
	n := 0
	for n < len(text) && (text[n] >= 'a' && text[n] <= 'z' || text[n] >= 'A' && text[n] <= 'Z') {
		n++
	}
	return text[:n], text[n:]
}

// listed reports whether a word is in a list with spaces around each word.
func listed(list, word string) bool { return strings.Contains(list, " "+word+" ") }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// plainNumber reports whether a text consists of digits, perhaps with a sign and a point.
func plainNumber(text string) bool {
	return strings.Trim(text, "0123456789") == "" || strings.Trim(text, "-.0123456789") == "" && strings.Count(text, ".") <= 1
}

// sameText compares two answers as text. Words may differ in case. For choices and plain
// whole numbers the result is final: sure is then true.
func sameText(gold, answer string) (same, sure bool) {
	if len(gold) > maxNormal || len(answer) > maxNormal {
		return sameLong(gold, answer)
	}
	g, a := normal(gold), normal(answer)
	if g == "" || a == "" {
		return false, false
	}
	if isChoice(gold) {
		return sameChoice(gold, answer)
	}
	if isSmallChoice(gold, answer) {
		return true, true
	}
	if n, is := wholeDigits(g); is {
		if m, is := wholeDigits(a); is {
			return n == m, true
		}
	}
	if isWords(g) && isWords(a) && len(g) > 1 && len(a) > 1 {
		word := dictionary[strings.ToLower(g)]
		return g == a || unicode15.EqualFold(g, a) && (word || len(g) > 2), word
	}
	return g == a && strings.ContainsFunc(g, func(r rune) bool { return unicode15.IsLetter(r) || unicode15.IsDigit(r) }), false
}

// maxNormal is the greatest length of a text for which we compute the normal form.
const maxNormal = 2000

// sameLong compares long texts, as whole numbers or byte for byte.
func sameLong(gold, answer string) (same, sure bool) {
	g, a := strings.TrimSpace(gold), strings.TrimSpace(answer)
	if n, is := wholeDigits(g); is {
		if m, is := wholeDigits(a); is {
			return n == m, true
		}
	}
	return g == a, false
}

// dictionary lists words of two or three letters that are not products of variables.
var dictionary = map[string]bool{"no": true, "on": true, "yes": true, "odd": true, "even": true, "true": true, "false": true, "none": true}

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

// blank reports whether a text has no letter, digit or symbol.
func blank(text string) bool {
	if len(text) > 200 {
		return false
	}
	rest := normal(text)
	if strings.Contains(rest, "{}") && strings.Trim(rest, "{}") == "" && !strings.Contains(text, `\{`) {
		return true
	}
	return strings.Trim(rest, `.,;:?!{}()[]$\-_*"' `) == "" && !strings.Contains(text, `\{`)
}
