package reply

import (
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// wrappers lists commands that leave their text unchanged.
const wrappers = " text textbf textit textrm textnormal mathrm mathbf mbox operatorname boxed fbox emph "

// looksOnly lists commands that change only the look.
const looksOnly = " left right displaystyle textstyle quad qquad big Big bigl bigr Bigl Bigr "

// Normal returns the text normal form: without spaces, dollar signs and commands that
// change only the look. Space between two digits stays.
func Normal(text string) string {
	if plainNumber(text) {
		return strings.TrimSuffix(text, ".")
	}
	var b strings.Builder
	b.Grow(len(text))
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
		if inside, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), "{"); ok {
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
	for n < len(text) && isASCIILetter(text[n]) {
		n++
	}
	return text[:n], text[n:]
}

// listed reports whether a word is in a list with spaces around each word.
func listed(list, word string) bool {
	return len(word) < len(list) && strings.Contains(list, " "+word+" ")
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// plainNumber reports whether a text consists of digits, perhaps with a sign and a point.
func plainNumber(text string) bool {
	points := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '.':
			points++
		case c != '-' && !isDigit(c):
			return false
		}
	}
	return points <= 1
}

// dictionary lists words of two or three letters that are not products of variables.
var dictionary = map[string]bool{"no": true, "on": true, "yes": true, "odd": true, "even": true, "true": true, "false": true, "none": true}

// Blank reports whether a text has no letter, digit or symbol.
func Blank(text string) bool {
	if len(text) > 200 {
		return false
	}
	rest := Normal(text)
	if strings.Contains(rest, "{}") && strings.Trim(rest, "{}") == "" && !strings.Contains(text, `\{`) {
		return true
	}
	return strings.Trim(rest, `.,;:?!{}()[]$\-_*"' `) == "" && !strings.Contains(text, `\{`)
}

// maxNormal is the greatest length of a text that we read for a label or for steps.
const maxNormal = 2000

// IsShortWord reports whether a text is a word of a few letters, and no product of variables.
func IsShortWord(text string) bool { return dictionary[strings.ToLower(text)] }
