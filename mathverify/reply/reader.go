package reply

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

const (
	maxRead  = 1200 // as much of the end of a reply without a box as the reader walks, in bytes
	maxFills = 8    // the most words between a phrase of the lexicon and its value
	maxNouns = 3    // the most words between a value and the denial of another one
)

// settled finds the answer of a reply whose end may correct, deny, doubt, sign or change a value.
func settled(text string, want wanted) (found string, rule Rule) {
	from := max(0, len(text)-maxRead)
	if box := strings.LastIndex(text, "boxed"); box >= 0 {
		from = max(0, box-2*maxShort)
		from += max(0, strings.LastIndex(text[from:box], ". "))
	}
	if from > 0 {
		from += 1 + strings.IndexAny(text[from:], " \n")
	}
	low := lower(text[from:])
	r := &reader{text: text[from:], low: low, want: want}
	all := slices.DeleteFunc(cues(low, claims|retracts|corrects|states), func(c cue) bool { return c.role == states && !r.odd(c) })
	if len(all) == 0 {
		return located(text, want)
	}
	after, is := r.correction(all)
	if !is {
		return r.asserted(text[:from], all)
	}
	rest := &reader{text: after, low: lower(after), want: want}
	found, rule = rest.asserted("", cues(rest.low, claims))
	if rule == RuleText && want.phrase == "" {
		return "", RuleNone
	}
	return found, rule
}

// gap matches the words between an English statement and its value, a number or a letter.
var gap = compiled.Regexp(`^[\s*]+((?:[A-Za-z']+ ){1,4})[\s*$]*(?:\d|\(?[A-J]\)?(?:[.,;*\s]|$))`)

// odd reports whether words before the value of an English statement may make it another one: they are
// in lower case, and the lexicon does not know them.
func (r *reader) odd(c cue) bool {
	if c.language != "en" || r.text[c.end-1] == ':' {
		return false
	}
	rest := strings.TrimLeft(r.text[c.end:min(len(r.text), c.end+maxShort)], " \t\n*")
	if rest == "" || rest[0]|0x20 < 'a' || rest[0]|0x20 > 'z' {
		return false // the value follows at once
	}
	m := gap().FindStringSubmatch(r.text[c.end:min(len(r.text), c.end+maxShort)])
	if m == nil {
		return false
	}
	unknown, low := false, lower(m[1])
	for i := 0; i < len(low); i++ {
		n := wordAt(low[i:])
		switch word := low[i : i+n]; {
		case word == " ":
			continue
		case listed(verbals, word), phraseAt(low[i:], claims|corrects|confirms|keeps).entry != nil:
			return false
		default:
			unknown = unknown || n > 1 && m[1][i:i+n] == word && phraseAt(word, fills).text != word
		}
		i += n
	}
	return unknown
}

// A reader walks the end of a reply with the lexicon.
type reader struct {
	text, low string // also in lower case
	want      wanted
}

// correction returns the text after the last phrase that takes back the statement before it.
func (r *reader) correction(all []cue) (rest string, is bool) {
	var last cue
	after := 0
	if boxes := allBoxes(r.text); boxes != nil {
		after = boxes[len(boxes)-1].end
	} else if end := strings.LastIndex(r.text, tagShut); end >= 0 {
		after = end
	} else if marks := cues(r.low, states); marks != nil {
		after = marks[len(marks)-1].end
	}
	for _, c := range all {
		switch {
		case c.start < after || is && c.end < last.end:
		case c.role == retracts && (c.form != "this" || !r.aside(after, c.start)):
			last, rest, is = c, r.text[c.end:], true
		case c.role == corrects && after > 0:
			at := r.value(c.end, " ,:;—–-….\n")
			sentence, _, _ := strings.Cut(r.low[c.end:min(len(r.low), c.end+maxHint)], "\n")
			if marks := cues(sentence, states); at < 0 && len(marks) > 0 && !strings.ContainsAny(sentence[:marks[0].start], ".!?") {
				at = r.value(c.end+marks[0].end, "")
			}
			if at >= 0 {
				last, rest, is = c, "answer: "+r.text[at:], true
			}
		}
	}
	if is && len(cues(r.low[last.end:], confirms)) > 0 && len(cues(r.low[last.end:], corrects)) == 0 {
		is = last.role != retracts
	}
	return rest, is
}

// aside reports whether a phrase speaks of another value than the answer: its sentence, or the one before
// it, comes after the answer and has one.
func (r *reader) aside(after, at int) bool {
	for range 2 {
		from := max(0, at-maxHint)
		start := from + strings.LastIndexAny(r.text[from:at], ".!?\n") + 1
		if start <= after {
			return false
		}
		if strings.ContainsAny(r.text[start:at], "0123456789$") {
			return true
		}
		at = len(strings.TrimRight(r.text[:start], " .!?\n"))
	}
	return false
}

// value returns where the value begins to which a phrase that ends before i belongs: only words that
// may stand between, marks of layout, and the given signs separate them. It is -1 if there is none.
func (r *reader) value(i int, signs string) int {
	for fillers := 0; i < len(r.text); {
		n, size := utf8.DecodeRuneInString(r.text[i:])
		switch p := phraseAt(r.low[i:], fills); {
		case r.starts(i):
			return i
		case strings.ContainsRune(" *_\t\"“”`", n) || strings.ContainsRune(signs, n) && (fillers == 0 || n == ':'):
			i += size
		case p.entry != nil && fillers < maxFills:
			fillers++
			i += len(p.text)
		default:
			return -1
		}
	}
	return -1
}

// starts reports whether a value begins at i.
func (r *reader) starts(i int) bool {
	rest := r.text[i:]
	if r.want.phrase != "" && strings.HasPrefix(r.low[i:], r.want.words) {
		return true
	}
	if r.want.letter && (rest[0] < 'a' || rest[0] > 'z') {
		if at := loneLetter(rest[:min(len(rest), maxOf)], 0); at >= 0 && strings.Trim(rest[:at], "($") == "" {
			return true
		}
	}
	c, size := utf8.DecodeRuneInString(rest)
	next, _ := utf8.DecodeRuneInString(rest[size:])
	switch {
	case c >= '0' && c <= '9', c == '$' && (next == '\\' || unicode15.IsLetter(next) || unicode15.IsDigit(next) || strings.ContainsRune("-−+([{", next)), c == '\\' && isLatin(string(next)) && next != ' ', c == '\\' && (next == '(' || next == '['), strings.ContainsRune("√π∞½±€£", c):
		return true
	case strings.ContainsRune("-−+(.[{", c):
		return next >= '0' && next <= '9' || next == '$' || next == '\\' || strings.ContainsRune("-−(", c) && isVariable(rest[size:])
	}
	return isVariable(rest)
}

// isVariable reports whether a text begins with a variable and a sign after it.
func isVariable(text string) bool {
	if text == "" || !isLatin(text[:1]) || !unicode15.IsLetter(rune(text[0])) {
		return false
	}
	rest := strings.TrimLeft(text[1:], " ")
	return rest == "" || strings.IndexByte("+=^*/<>)", rest[0]) >= 0 || rest[0] == '-' || rest == "." || strings.HasPrefix(rest, ". ")
}

// clauseEnd returns the end of the clause at i: outside formulas and brackets, a sign that ends it, or a
// phrase that turns to something else.
func (r *reader) clauseEnd(i int) int { return r.partEnd(i, turns) }

// partEnd is as clauseEnd for the phrases of the given roles.
func (r *reader) partEnd(i int, enders role) int {
	depth := 0
	for start := i; i < min(len(r.text), start+maxHint); {
		if open, shut := mark(r.text[i:]); open != "" {
			if end := closer(r.text[i+len(open):], shut); end >= 0 {
				i += len(open) + end + len(shut)
				continue
			}
		}
		c, size := utf8.DecodeRuneInString(r.text[i:])
		inNumber := i > 0 && i+1 < len(r.text) && isDigit(r.text[i-1]) && isDigit(r.text[i+1])
		switch {
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			if depth--; depth < 0 {
				return i
			}
		case depth > 0:
		case c == ',' && member().MatchString(r.text[i:min(len(r.text), i+maxOf)]):
		case strings.ContainsRune(",.:", c) && !inNumber, strings.ContainsRune(";!?\n。，；、—", c), strings.HasPrefix(r.text[i:], "</"), strings.HasPrefix(r.text[i:], " - "):
			return i
		case dense(c) && phraseAt(r.low[i:], denies).entry != nil:
			size = len(phraseAt(r.low[i:], denies).text)
		case i > start && (dense(c) || r.text[i-1] == ' ' || r.text[i-1] == '*') && phraseAt(r.low[i:], enders).entry != nil:
			return i
		}
		i += size
	}
	return i
}

// member matches a comma before another member of a list of values.
var member = compiled.Regexp(`^, (?:and |or )?\(?(?:[A-J]|\d+)\)?(?:[,.;!?]|$| and | or )`)

// maxBack is the most words between a value and a phrase after it.
const maxBack = 4

// valueBefore returns the value that ends before i: only words that may stand between separate them, or
// nothing, unless there must be one. Its start is -1 if there is none.
func (r *reader) valueBefore(i int, verb bool) (start, end int) {
	for words := 0; words <= maxBack; words++ {
		text := strings.TrimRight(r.text[:i], " *_\"”")
		last := lastWord(text)
		if len(last) < 2 || last[0] < 'a' || last[0] > 'z' || r.want.phrase != "" || listed(" pi infinity ", last) {
			if start := r.valueEnding(text); start >= 0 && (words > 0 || !verb) {
				return start, len(text)
			}
		}
		i = len(text) - len(last)
		if n := r.denseFill(text); n > 0 {
			i = len(text) - n
			continue
		}
		if word := r.low[i:len(text)]; word == "" || listed(" and or so that therefore then but a ", word) || phraseAt(word, fills).text != word {
			break
		}
	}
	return -1, -1
}

// denseFill returns the length of the word that may stand before a phrase at the end of a text in a script
// without spaces, or 0.
func (r *reader) denseFill(text string) int {
	n := 0
	for n < maxOf {
		last, size := utf8.DecodeLastRuneInString(text[:len(text)-n])
		if size == 0 || !dense(last) {
			return 0
		}
		n += size
		if word := r.low[len(text)-n : len(text)]; phraseAt(word, fills).text == word {
			return n
		}
	}
	return 0
}

// lastWord returns the letters at the end of a text.
func lastWord(text string) string {
	n := strings.LastIndexFunc(text, func(r rune) bool { return !unicode15.IsLetter(r) && r != '\'' })
	_, size := utf8.DecodeRuneInString(text[max(n, 0):])
	if n < 0 {
		size = 0
	}
	return text[max(n, 0)+size:]
}

// valueEnding returns where the value begins that ends a text, or -1.
func (r *reader) valueEnding(text string) int {
	start := max(0, len(text)-maxShort)
	start += strings.LastIndexAny(text[start:], ".!?\n:;") + 1
	if n := len(text); start > 0 && start < n && isDigit(text[start]) && text[start-1] == '.' { // of a decimal
		from := max(0, start-maxOf)
		start = from + strings.LastIndexAny(text[from:start], " \n") + 1
	}
	sentence := text[start:]
	if r.want.letter {
		if m := letters().FindStringIndex(sentence); m != nil {
			return start + m[0]
		}
	}
	if p := r.want.words; p != "" && strings.HasSuffix(strings.ToLower(sentence), p) {
		return len(text) - len(p)
	}
	if all := formulas(sentence); len(all) > 0 && all[len(all)-1].end == len(sentence) {
		return start + all[len(all)-1].start
	}
	if boxes := allBoxes(sentence); len(boxes) > 0 && boxes[len(boxes)-1].end == len(sentence) {
		return start + boxes[len(boxes)-1].start
	}
	if all := runsOf(sentence); len(all) > 0 && all[len(all)-1].end == len(sentence) {
		return start + all[firstOf(sentence, all)].start
	}
	return -1
}

// letters matches the letters of choices at the end of a text.
var letters = compiled.Regexp(`(?:\(?\b[A-J]\)?(?:, and |, or |, | and | or ))*(?:(?:option|choice) )?\(?\b[A-J]\)?$`)

// asserted finds the answer that remains after the claims of the phrases; head is the text before.
func (r *reader) asserted(head string, all []cue) (found string, rule Rule) {
	made := r.allClaims(all)
	var b strings.Builder
	b.WriteString(head)
	from, last := 0, -1
	cut := 0 // where the last denial or doubt stands in the new text
	for i, c := range made {
		b.WriteString(r.text[from:c.start])
		if c.role != changes {
			last, cut = i, b.Len()
		}
		b.WriteString(c.as)
		from = c.end
	}
	b.WriteString(r.text[from:])
	text := b.String()
	if last < 0 || made[last].role != hedges && r.names(text[cut:]) {
		return located(text, r.want)
	}
	found, rule = located(text[:cut], r.want)
	said := Normal(r.text[max(made[last].start, made[last].end-len(found)):made[last].end])
	switch same := Normal(found) == said; {
	case made[last].role == hedges:
		if same || r.names(text[cut:]) {
			return located(text, r.want)
		}
	case same:
	case rule == RuleBox, rule == RuleTag, rule == RuleStatement, rule == RuleBare, r.want.phrase != "" && rule == RuleText, r.apposed(text[:cut], found):
		return found, rule
	}
	return "", RuleNone
}

// names reports whether a text has a value.
func (r *reader) names(text string) bool {
	return strings.ContainsAny(text, "0123456789$") || strings.Contains(text, `\boxed`) || r.want.letter && loneLetter(text, 0) >= 0 ||
		r.want.phrase != "" && strings.Contains(strings.ToLower(text), r.want.words)
}

// apposed reports whether a text ends with a value and a few words after it, in one sentence.
func (r *reader) apposed(text, value string) bool {
	at := strings.LastIndex(text, value)
	if at < 0 || !r.names(value) {
		return false
	}
	between := strings.ToLower(text[at+len(value):])
	words := strings.Fields(between)
	if strings.ContainsAny(between, ".!?;:\n") || len(words) > maxNouns {
		return false
	}
	for _, word := range words {
		if listed(" is are was be equals answer ", strings.Trim(word, ",")) {
			return false
		}
	}
	return true
}
