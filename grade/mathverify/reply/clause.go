package reply

import (
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A place is what stands around a value in its sentence, in lower case.
type place struct {
	earlier string // what stands before the sentence
	before  string // the sentence before the value
	clause  int    // where its last clause begins
	after   string // the rest of the sentence
	rest    string // what follows the sentence
	asked   bool
}

// placeOf returns the place of a part of a text.
func placeOf(text string, start, end int) place {
	p := place{before: lower(text[max(0, start-maxHint):start]), after: lower(text[end:min(len(text), end+maxHint)])}
	from := sentenceStart(p.before)
	p.earlier, p.before = p.before[:from], p.before[from:]
	p.clause = clauseStart(strings.TrimRight(p.before, "( "))
	if turning := cues(p.before[p.clause:], contrasts|concludes); turning != nil {
		p.clause += turning[len(turning)-1].start
	}
	stop := sentenceEnd(p.after)
	p.rest = p.after[stop:]
	p.asked = strings.HasPrefix(p.after[stop:], "?") || strings.HasPrefix(p.after[stop:], "？")
	p.after = strings.TrimLeft(strings.TrimPrefix(p.after[:stop], "</answer>"), " *_$\\)]}")
	return p
}

// sentenceStart returns where the last sentence of a text begins.
func sentenceStart(text string) int {
	for i := len(text) - 1; i > 0; i-- {
		switch c := text[i]; {
		case c == ' ', c == '\n':
			said := strings.TrimRight(text[:i], ` *_$)"`)
			if n := len(said) - 1; n >= 0 && (strings.IndexByte(".!?", said[n]) >= 0 || c == '\n' && strings.IndexByte(":\n", said[n]) >= 0) {
				return i + 1
			}
		case c == ']' && strings.HasSuffix(text[:i], `.\`), c == '#' && text[i-1] == '#':
			return i + 1
		case c >= 0xE3 && (strings.HasPrefix(text[i:], "。") || strings.HasPrefix(text[i:], "！") || strings.HasPrefix(text[i:], "？")):
			return i + len("。")
		}
	}
	return 0
}

// arrows lists the commands of signs between the steps of an argument.
const arrows = " implies Rightarrow Longrightarrow iff Leftrightarrow therefore leadsto "

// clauseStart returns where the last clause of a sentence begins: after a sign that ends one.
func clauseStart(text string) int {
	for i := len(text) - 1; i >= 0; i-- {
		next := text[i+1:]
		switch c := text[i]; {
		case c == '(' && (i == 0 || text[i-1] != '\\'), strings.IndexByte(",;:", c) >= 0 && (next == "" || !isDigit(next[0])),
			c == '-' && strings.HasSuffix(text[:i], " ") && strings.HasPrefix(next, " "),
			c == '\n' && (strings.HasPrefix(next, "-") || strings.HasPrefix(next, "*")):
			return i + 1
		case c == '\\':
			if name, rest := commandName(next); listed(arrows, name) {
				return len(text) - len(rest)
			}
		case c >= 0xE2: // the first byte of three
			if r, size := utf8.DecodeRuneInString(text[i:]); strings.ContainsRune("，；：、—–（⇒→⟹∴", r) {
				return i + size
			}
		}
	}
	return 0
}

// find returns where an answer stands last in a text, or -1.
func (want wanted) find(text, found string, rule Rule) (start, end int) {
	if rule == RuleBox {
		all := allBoxes(text)
		return all[len(all)-1].start, all[len(all)-1].end
	}
	found = strings.TrimRight(found, " .,;:，。、")
	if value, words, ok := strings.Cut(found, " "); ok && (rule == RuleBare || rule == RuleStatement) && startsWithValue(value) && strings.IndexFunc(words, unicode15.IsLetter) == 0 && !strings.ContainsAny(words, "0123456789") {
		found = value
	}
	if letter := Labelled(found); want.letter && letter != "" {
		found = letter
	}
	last := found[max(0, strings.LastIndex(found, ", "), strings.LastIndex(found, "} ")):]
	unit, _, _ := strings.Cut(found, `\text{`)
	for _, form := range []string{found, strings.Trim(last, ",} "), strings.ReplaceAll(found, ".", ","), strings.TrimSuffix(found, `\%`), unit} {
		for at := strings.LastIndex(text, form); at >= 0 && form != ""; at = strings.LastIndex(text[:at], form) {
			if !within(text[:at], form) && !within(form, text[at+len(form):]) {
				return at, at + len(form)
			}
		}
	}
	return -1, -1
}

// within reports whether the border between two texts is within a word or a number, or before the end of the number of
// a place in an order.
func within(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	inWord := func(r rune) bool { return !dense(r) && (unicode15.IsLetter(r) || unicode15.IsDigit(r)) }
	if isDigit(byte(last)) && unicode15.IsLetter(next) {
		return ordinal().MatchString(after[:min(len(after), maxOf)])
	}
	return inWord(last) && inWord(next)
}

// ordinal matches the end of the number of a place in an order: "th" of "14th".
var ordinal = compiled.Regexp(`^(?:st|nd|rd|th|ème|e|er|º|ª)\b`)
