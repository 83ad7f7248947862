package reply

import (
	"iter"
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

// maxTries is the most candidates of a reply.
const maxTries = 8

// A Candidate is a value that may be the answer of a reply.
type Candidate struct {
	Found string
	Rule  Rule
	Marks []Mark // what may speak for or against it; nil if it counts for certain
}

// Candidates yields what a reply, and then its parts before and after each candidate, give for an answer like the
// reference. The first that the reply states is its answer.
func Candidates(text, reference string) iter.Seq[Candidate] {
	return func(yield func(Candidate) bool) {
		want := wantedFor(reference)
		text = readable(text)
		w := walk{want: want, whole: text, text: text}
		if Wordless(text) {
			found, rule := located(text, want)
			yield(w.withUnit(Candidate{found, rule, nil}))
			return
		}
		w.text = want.changed(pointed(withoutEndMark(text)))
		w.end = len(w.text)
		for w.from < w.end && w.tries < maxTries {
			c, start, stop := w.next()
			if c.Rule != RuleNone && (!yield(w.withUnit(c)) || c.Marks == nil) || !w.move(c.Rule, start, stop) {
				return
			}
		}
	}
}

// A walk goes through the parts of a reply.
type walk struct {
	want        wanted
	whole, text string // the reply, and in the form that we search
	from, end   int    // the part
	back, then  int    // where the next part begins, and where it ends, after the rest behind a candidate
	tries       int
}

// next returns the candidate of the part, and where it stands; without marks if nothing can speak against it.
func (w *walk) next() (c Candidate, start, stop int) {
	found, rule := located(w.text[w.from:w.end], w.want)
	if w.tries == 0 && w.want.phrase == "" && !w.want.letter && rule != RuleBox && rule != RuleBare && !strings.ContainsAny(found, "0123456789") {
		if spelled := withDigits(strings.TrimRight(w.text, " !")); spelled != w.text {
			w.text = w.want.changed(spelled)
			w.end = len(w.text)
			found, rule = located(w.text, w.want)
		}
	}
	w.tries++
	c, start, stop = Candidate{found, rule, nil}, w.end, w.end
	if rule == RuleNone || rule == RuleBare && !startsWithValue(found) {
		return c, start, stop
	}
	if rule == RuleText && w.want.value && w.tries > 1 {
		c.Rule = RuleNone
	}
	at, end := w.want.find(w.text[w.from:w.end], found, rule)
	switch {
	case at >= 0:
		start, stop = w.from+at, w.from+end
		if !Blank(w.text[:start]) || !Blank(w.text[stop:]) {
			c.Marks = w.marks(c, start, stop)
		}
	case w.want.value && plainNumber(found) && strings.Contains(w.text[w.from:w.end], found): // only in a word: "the 14th"
		c.Rule, w.tries = RuleNone, maxTries
	}
	return c, start, stop
}

// move goes to the rest behind the candidate, if it may state another one, or else to the part before it, and reports
// whether there is one.
func (w *walk) move(rule Rule, start, stop int) bool {
	boxed := rule == RuleBox || rule == RuleTag
	switch {
	case w.from > w.back:
		w.from, w.end = w.back, w.then
	case boxed && w.want.letter:
		return false
	case w.want.names(w.text[stop:min(w.end, stop+maxRead)]):
		w.from, w.then = stop, w.want.headBefore(w.text, start)
		w.back = max(0, w.then-maxRead)
		return true
	default:
		w.end = w.want.headBefore(w.text, start)
		w.back = max(0, w.end-maxRead)
		w.from = w.back
	}
	return !boxed
}

// withUnit adds the unit that follows the value in the reply.
func (w *walk) withUnit(c Candidate) Candidate {
	if w.want.unit {
		c.Found = withUnit(c.Found, w.whole)
	}
	return c
}

// pointed writes the decimal commas of a reply without a box as points, and one of several as a fraction.
func pointed(text string) string {
	if strings.Contains(text, "boxed") {
		return text
	}
	if strings.Contains(text, " in ") || strings.Contains(text, " out of ") {
		text = chance().ReplaceAllString(text, "1/$1")
	}
	if strings.IndexByte(text, ',') >= 0 && decimals().MatchString(text) && writesCommas(text) {
		text = withPoints(text)
	}
	return text
}

// headBefore returns where the part of a text ends that is read after the value at a place: before a denial or a turn of
// its clause, or before the value, if another one stands before that; else before its clause. It is 0 if nothing is left.
func (want wanted) headBefore(text string, at int) int {
	from := max(0, at-maxHint)
	head := text[from:at]
	start := max(sentenceStart(head), clauseStart(head))
	cut := start
	if !want.letter && want.names(head[start:]) {
		cut = len(head)
	}
	for _, c := range cues(lower(head[start:]), denies|hedges|limits|turns|reasons) {
		if want.names(head[start : start+c.start]) {
			cut = start + c.start
		}
	}
	head = strings.TrimRight(unjoined(strings.TrimRight(head[:cut], " ")), clauseSigns)
	if strings.Count(head, "$")%2 == 1 { // the formula of the value begins
		head = strings.TrimRight(strings.TrimSuffix(head, "$"), clauseSigns)
	}
	if head == "" {
		return 0
	}
	return from + len(head)
}

// clauseSigns are signs around a clause.
const clauseSigns = " \n*_#\\([,;:-—–，；：（、"

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

// A reader finds the values beside phrases.
type reader struct {
	text, low string // also in lower case
	want      wanted
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

// valueBefore returns the value that ends before i: only words that may stand between separate them. Its start is -1 if
// there is none.
func (r *reader) valueBefore(i int) (start, end int) {
	for words := 0; words <= maxBack; words++ {
		text := strings.TrimRight(r.text[:i], " *_\"”")
		last := lastWord(text)
		if len(last) < 2 || last[0] < 'a' || last[0] > 'z' || r.want.phrase != "" || listed(" pi infinity ", last) {
			if start := r.valueEnding(text); start >= 0 {
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

// names reports whether a text has a value.
func (want wanted) names(text string) bool {
	return strings.ContainsAny(text, "0123456789") || strings.Contains(text, `\boxed`) || want.letter && loneLetter(text, 0) >= 0 ||
		want.phrase != "" && strings.Contains(strings.ToLower(text), want.words)
}
