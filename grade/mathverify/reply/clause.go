package reply

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A place is what stands around a value in its sentence, in lower case.
type place struct {
	before string // the sentence before the value
	clause int    // where its last clause begins
	cues   []cue  // its phrases
	after  string // the rest of the sentence
	asked  bool
}

// placeOf returns the place of a part of a text.
func placeOf(text string, start, end int) place {
	p := place{before: lower(text[max(0, start-maxHint):start]), after: lower(text[end:min(len(text), end+maxHint)])}
	p.before = p.before[sentenceStart(p.before):]
	p.cues = cues(p.before, mutes|reports|thats|factive|relates|contrasts|concludes|giving|labels|fills|definite|articles)
	p.clause = clauseStart(p.before)
	for _, c := range p.cues {
		if c.role&(contrasts|concludes) != 0 {
			p.clause = max(p.clause, c.end)
		}
	}
	stop := sentenceEnd(p.after)
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
		case c == '(', strings.IndexByte(",;:", c) >= 0 && (next == "" || !isDigit(next[0])),
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

// states reports whether the sentence in which an answer stands states it: its clause neither denies nor doubts it, the
// sentence tells of nobody who says it, and a word that gives a value stands before it, or a noun that it counts after
// it. A value of which the sentence says something is not stated.
func (want wanted) states(text, found string, rule Rule) bool {
	if (rule == RuleNumber || rule == RuleFormula) && strings.Count(text, found) > 1 { // "It can't be 5, because 5 doesn't divide 42"
		if head := withoutReason(text); len(head) < len(text) && strings.Contains(head, found) && !want.states(head, found, rule) {
			return false
		}
	}
	start, end := want.find(text, found, rule)
	if start < 0 { // put together from several places, or a part of a word: "the 14th"
		return !slices.ContainsFunc(ordinal().FindAllStringSubmatch(text, -1), func(m []string) bool { return m[1] == found })
	}
	p := placeOf(text, start, end)
	if p.asked || p.mentioned() || p.denied() || p.reported() {
		return false
	}
	next, _ := utf8.DecodeRuneInString(p.after)
	word := unicode15.IsLetter(next)
	clause := strings.Trim(p.before[p.clause:], layout)
	last := len(strings.TrimRight(p.before, layout))
	predicate := word && phraseAt(p.after, predicates).entry != nil
	counts := word && !predicate && !want.letter && !(strings.Contains(found, "=") && definition().MatchString(found)) && !p.endsWith(last, definite)
	switch {
	case want.phrase != "", (word || next == '—') && p.held(), p.alone(last):
		return true
	case predicate && dense(next):
		return false
	case strings.Count(clause, " ") < 2 && p.endsWith(last, labels):
		return !word || counts
	case strings.IndexFunc(clause, unicode15.IsLetter) < 0:
		return !predicate
	}
	return !predicate && (counts || p.gives() || strings.ContainsAny(found, "$€£₹%") || strings.ContainsRune("%€°", next))
}

// alone reports whether a word that ends there says that nothing but the value fits.
func (p place) alone(end int) bool {
	for text := p.before[:end]; ; {
		word := lastWord(text)
		if found := phraseAt(word, holds); found.entry != nil && found.form == "only" {
			return true
		}
		if word == "" || phraseAt(word, labels).text != word {
			return false
		}
		text = strings.TrimRight(text[:len(text)-len(word)], layout)
	}
}

// held reports whether what follows says that the value is the answer.
func (p place) held() bool {
	found := phraseAt(p.after, holds)
	return found.entry != nil && (found.form == "-" || phraseAt(strings.TrimLeft(p.after[len(found.text):], " "), mutes).entry == nil)
}

// ordinal matches the number of a place in an order.
var ordinal = compiled.Regexp(`(\d+)(?:st|nd|rd|th|ème|e|er|º|ª)\b`)

// layout are signs that may stand between a word and its value.
const layout = " *_#$\\([{}\"'`>\n\t"

// mentioned reports whether the value stands in a quotation that somebody says, or with words before it and before that.
func (p place) mentioned() bool {
	if near := p.after[:min(len(p.after), maxShort/2)]; strings.ContainsAny(near[:min(len(near), len(`."`))], `"”`) && cues(near, reports) != nil {
		return true
	}
	said, quoted := p.before, ""
	for _, marks := range []string{`""`, "“”", "„“"} {
		open, shut := string([]rune(marks)[0]), string([]rune(marks)[1])
		if at := strings.LastIndex(p.before, open); at >= 0 && !strings.Contains(p.before[at+len(open):], shut) && (open != shut || strings.Count(p.before, open)%2 == 1) {
			said, quoted = p.before[:at], p.before[at:]
		}
	}
	return strings.IndexFunc(said, unicode15.IsLetter) >= 0 && strings.IndexFunc(quoted, unicode15.IsLetter) >= 0
}

// denied reports whether a word of the clause denies or doubts the value. One in a relative clause does not: "the
// probability that it does not rain is".
func (p place) denied() bool {
	related := false
	if conditional(p.before[p.clause:]) {
		return true
	}
	for i, c := range p.cues {
		switch {
		case c.role == relates && c.end >= p.clause:
			related = true
		case c.start < p.clause:
		case c.role == mutes && (c.form == "-" || c.form == "no"):
			if !related || !slices.ContainsFunc(p.cues[i+1:], func(c cue) bool { return c.role == giving && c.form == "is" }) {
				return true
			}
		}
	}
	for _, c := range cues(p.after, mutes|reasons) {
		switch {
		case c.role == reasons:
			return false
		case c.form == "after", c.form == "near" && !strings.ContainsAny(p.after[:c.start], ",;(，；（"):
			return true
		}
	}
	return false
}

// reported reports whether the sentence tells what somebody says or supposes.
func (p place) reported() bool {
	told, turned := false, strings.LastIndexAny(p.before, ";；")
	for _, c := range p.cues {
		said := strings.TrimRight(p.before[:c.start], " ,\n*")
		switch {
		case c.role == contrasts, c.start < turned:
			told = false
		case c.role == reports && c.form == "would":
			told = told || strings.Contains(p.before[c.end:], " would ")
		case c.role == reports:
			told = told || c.form != "first" || said == ""
		case c.role == thats && c.end >= p.clause && said != "" && !p.endsWith(len(said), factive):
			rest := strings.TrimLeft(p.before[c.end:], " ")
			if c.form == "any" || rest == "" || strings.IndexByte("$\\0123456789", rest[0]) >= 0 || phraseAt(rest, definite|articles).entry != nil {
				return true
			}
		}
	}
	return told
}

// ended matches a command, or a letter of a script without a lexicon, at the end of a text.
var ended = compiled.Regexp(`\\[a-z]+(?:\{[a-z*]*)?$|\p{Arabic}$`)

// gives reports whether a word or a sign before the value gives it.
func (p place) gives() bool {
	if strings.HasSuffix(p.before, "{") {
		return true
	}
	for text := p.before; ; {
		text = strings.TrimRight(text, layout)
		last, _ := utf8.DecodeLastRuneInString(text)
		if len(text) <= p.clause || strings.ContainsRune("=:&)]≈≡∈“₹€£¥", last) || isDigit(byte(last)) || p.endsWith(len(text), giving|labels) || ended().MatchString(text[max(0, len(text)-maxOf):]) {
			return true
		}
		n := slices.IndexFunc(p.cues, func(c cue) bool { return c.end == len(text) && c.role == fills })
		if n < 0 {
			return p.complements(len(text))
		}
		text = text[:p.cues[n].start]
	}
}

// maxComplement is the most words between a verb and the value in its complement.
const maxComplement = 5

// complements reports whether the text up to an end is a verb of a main clause that gives a value and words of its
// subject or complement, without a preposition or a comparison: "è proprio", "beträgt die gesuchte Temperatur".
func (p place) complements(end int) bool {
	start := clauseStart(p.before)
	for _, c := range slices.Backward(p.cues) {
		if c.role != giving || c.form != "is" || c.start < start || c.end > end {
			continue
		}
		between := p.before[c.end:end]
		return len(strings.Fields(between)) <= maxComplement && strings.IndexFunc(between, func(r rune) bool { return !unicode15.IsLetter(r) && !strings.ContainsRune(" '*-", r) }) < 0 &&
			cues(between, adjoins|limits|thats|changes) == nil
	}
	return false
}

// conditional reports whether a verb of a clause is in the conditional mood of French, Spanish, Portuguese or Italian.
func conditional(clause string) bool {
	found, noun := false, false
	for _, word := range strings.FieldsFunc(clause, func(r rune) bool { return !unicode15.IsLetter(r) }) {
		if listed(english, word) {
			return false
		}
		found = found || !noun && len(word) > 3 && moods().MatchString(word)
		noun = listed(" la una a uma da na della de ", word)
	}
	return found
}

// moods matches a verb in the conditional mood.
var moods = compiled.Regexp(`^(?:\pL*(?:[aeid]r|br)ía(?:n|mos)?|(?:\pL\pL+[aeid]r|ser|ter|far|dar|ir|haver)ia(?:m|mos)?|\pL*(?:[eidv]r|aur|ttr)ai(?:t|ent)|\pL+rebbe(?:ro)?)$`)

// endsWith reports whether a phrase of the roles ends there in the sentence before the value.
func (p place) endsWith(end int, want role) bool {
	return slices.ContainsFunc(p.cues, func(c cue) bool { return c.end == end && c.role&want != 0 })
}

// find returns where an answer stands last in a text, or -1.
func (want wanted) find(text, found string, rule Rule) (start, end int) {
	if rule == RuleBox {
		all := allBoxes(text)
		return all[len(all)-1].start, all[len(all)-1].end
	}
	found = strings.TrimRight(found, " .,;:，。、")
	if value, words, ok := strings.Cut(found, " "); ok && rule == RuleBare && startsWithValue(value) && strings.IndexFunc(words, unicode15.IsLetter) == 0 && !strings.ContainsAny(words, "0123456789") {
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

// within reports whether the border between two texts is within a word or a number.
func within(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	inWord := func(r rune) bool { return !dense(r) && (unicode15.IsLetter(r) || unicode15.IsDigit(r)) }
	return inWord(last) && inWord(next)
}
