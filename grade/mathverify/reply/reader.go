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

// settled finds the answer that a reply states.
func settled(text string, want wanted) (found string, rule Rule) {
	if Wordless(text) {
		return located(text, want)
	}
	if !strings.Contains(text, "boxed") {
		text = withoutCheck(text)
		if strings.Contains(text, " in ") || strings.Contains(text, " out of ") {
			text = chance().ReplaceAllString(text, "1/$1")
		}
		if strings.IndexByte(text, ',') >= 0 && decimals().MatchString(text) && writesCommas(text) {
			text = withPoints(text)
		}
	}
	found, rule = claimed(text, want)
	if want.phrase == "" && !want.letter && rule != RuleBox && rule != RuleBare && !strings.ContainsAny(found, "0123456789") {
		if spelled := withDigits(strings.TrimRight(text, " !")); spelled != text {
			text = spelled
			found, rule = claimed(text, want)
		}
	}
	if rule == RuleBare && !startsWithValue(found) || want.states(text, found, rule) {
		return found, rule
	}
	if start, end := want.find(text, found, rule); rule == RuleStatement && start >= 0 { // a later clause may state another
		if at := strings.IndexAny(text[end:], ";.\n"); at >= 0 && strings.ContainsAny(text[end+at:], "0123456789") {
			rest := text[end+at+1:]
			if found, rule = claimed(rest, want); want.states(rest, found, rule) {
				return found, rule
			}
		}
	}
	return "", RuleNone
}

// claimed finds the answer of a reply whose end may correct, deny, doubt, sign or change a value.
func claimed(text string, want wanted) (found string, rule Rule) {
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
	roles := claims | retracts | corrects
	if want.value {
		roles |= finds
	}
	all := slices.DeleteFunc(cues(low, roles), func(c cue) bool { return c.role == finds && !r.unable(c) })
	if len(all) == 0 {
		return located(text, want)
	}
	after, ok := r.correction(all)
	if !ok {
		return r.asserted(text[:from], all)
	}
	rest := &reader{text: after, low: lower(after), want: want}
	found, rule = rest.asserted("", cues(rest.low, claims))
	if rule == RuleText && want.phrase == "" {
		return "", RuleNone
	}
	return found, rule
}

// Wordless reports whether a text has neither words nor signs that the lexicon may know.
func Wordless(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= utf8.RuneSelf, c == '?', c == '#', isASCIILetter(c) && i+1 < len(text) && isASCIILetter(text[i+1]):
			return false
		case c == '\\':
			name, rest := commandName(text[i+1:])
			if listed(textual, name) {
				return false
			}
			i = len(text) - len(rest) - 1
		}
	}
	return true
}

// A reader walks the end of a reply with the lexicon.
type reader struct {
	text, low string // also in lower case
	want      wanted
}

// correction returns the text after the last phrase that takes back the statement before it.
func (r *reader) correction(all []cue) (rest string, ok bool) {
	var last cue
	after := 0
	if boxes := allBoxes(r.text); boxes != nil {
		after = boxes[len(boxes)-1].end
	} else if marks := cues(r.low, states); marks != nil {
		after = marks[len(marks)-1].end
	}
	for _, c := range all {
		switch {
		case c.start < after || ok && c.end < last.end:
		case c.role == finds, c.role == retracts && (c.form != "this" || !r.aside(after, c.start)):
			last, rest, ok = c, r.text[c.end:], true
		case c.role == corrects && after > 0:
			at := r.value(c.end, " ,:;—–-….\n")
			sentence, _, _ := strings.Cut(r.low[c.end:min(len(r.low), c.end+maxHint)], "\n")
			if marks := cues(sentence, states); at < 0 && len(marks) > 0 && !strings.ContainsAny(sentence[:marks[0].start], ".!?") {
				at = r.value(c.end+marks[0].end, "")
			}
			if at >= 0 {
				last, rest, ok = c, "answer: "+r.text[at:], true
			}
		}
	}
	if ok && last.role == finds && cues(r.low[last.end:], contrasts|concludes|states|corrects) == nil {
		return "", true
	}
	if ok && len(cues(r.low[last.end:], confirms)) > 0 && len(cues(r.low[last.end:], corrects)) == 0 {
		ok = last.role != retracts && last.role != finds
	}
	return rest, ok
}

// unable reports whether a word of finding says that the reply has no answer: its clause denies it, and not of
// another answer only.
func (r *reader) unable(c cue) bool {
	head := r.low[max(0, c.start-maxHint):c.start]
	clause := head[sentenceStart(head):]
	if clause = clause[clauseStart(clause):]; r.enclosed(c.start) || cues(clause+r.low[c.start:c.end], spares) != nil {
		return false
	}
	return c.form == "alone" || slices.ContainsFunc(cues(clause, mutes), func(n cue) bool { return n.form == "no" })
}

// enclosed reports whether a place is in brackets.
func (r *reader) enclosed(at int) bool {
	return strings.LastIndexByte(r.text[:at], '(') > strings.LastIndexByte(r.text[:at], ')')
}

// aside reports whether a phrase speaks of another value than the answer: one stands between the sentence of
// the answer and the phrase.
func (r *reader) aside(after, at int) bool {
	end := after + sentenceEnd(r.text[after:min(at, after+maxHint)])
	return strings.ContainsAny(r.text[max(end, at-maxHint):at], "0123456789$")
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
func (r *reader) clauseEnd(i int) int {
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
		case strings.ContainsRune(",.:", c) && !inNumber, strings.ContainsRune(";!?\n。，；、—", c), strings.HasPrefix(r.text[i:], "</"), strings.HasPrefix(r.text[i:], " - "):
			return i
		case dense(c) && phraseAt(r.low[i:], denies).entry != nil:
			size = len(phraseAt(r.low[i:], denies).text)
		case i > start && (dense(c) || r.text[i-1] == ' ' || r.text[i-1] == '*') && phraseAt(r.low[i:], turns).entry != nil:
			return i
		}
		i += size
	}
	return i
}

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
		if word := r.low[i:len(text)]; word == "" || listed(" and or so that therefore then but a ", word) || phraseAt(word, fills).text != word {
			break
		}
	}
	return -1, -1
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
	if last < 0 || r.names(text[cut:]) {
		return located(text, r.want)
	}
	found, rule = located(text[:cut], r.want)
	hedged := made[last].role == hedges
	switch same := Normal(found) == Normal(r.text[max(made[last].start, made[last].end-len(found)):made[last].end]); {
	case hedged && same:
		return located(text, r.want)
	case hedged, same:
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
	return true
}
