package reply

import (
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/unicode15"
)

// inText matches words in \text and the like.
var inText = compiled.Regexp(`\\(?:text|textbf|textit|textrm|textnormal|mathrm|mbox)\s*\{([^{}]*)\}`)

// unset drops what sets words apart.
var unset = strings.NewReplacer("$", "", "*", "", `\ `, " ", "~", " ")

// Words returns a text without \text and the like, stars and dollar signs, in lower case.
func Words(text string) string {
	if strings.Contains(text, `\`) {
		text = inText().ReplaceAllString(text, "$1")
	}
	text = unset.Replace(text)
	return strings.Trim(strings.ToLower(strings.Join(strings.Fields(text), " ")), ".,;:!\"“”` ")
}

// maxPhrase is the greatest length of an answer in words.
const maxPhrase = 60

// IsPhrase reports whether a reference is in words: it begins with a word, and has no signs.
func IsPhrase(gold string) bool {
	if len(gold) > maxPhrase || len(gold) < 2 || strings.ContainsAny(gold, "=<>+^_&()[]|/") || gold[0] == '\\' && !strings.HasPrefix(gold, `\text`) && !strings.HasPrefix(gold, `\m`) {
		return false
	}
	if c := gold[0]; c < 'A' && c != '"' && c != '*' && c != '$' { // a number or a sign
		return false
	}
	words := Words(gold)
	word := leading(words)
	if word == "" || strings.ContainsAny(words, `\{}`) {
		return false
	}
	known := isProse(word) && !listed(longFunctions, word) || dictionary[word] || word == "dne"
	return known || len(word) > 1 && isLatin(word) && (strings.Contains(gold, `\text`) || unicode15.IsUpper(rune(gold[0]))) && word != "pi"
}

// phrase returns the words that a text gives for its answer, for a reference in words: a "yes" or
// "no" at its start, the only words in bold in its last line, or what follows the verb of its last
// sentence.
func phrase(text, gold string) string {
	if word := agreement(text, gold); word != "" {
		return word
	}
	if found := emphasized(text); found != "" {
		return found
	}
	sentence := lastSentence(text)
	sentence = contrast().ReplaceAllString(strings.ReplaceAll(sentence, "there's", "there is"), "")
	return complement(sentence, len(strings.Fields(Words(gold))))
}

// contrast matches what a sentence denies beside what it says.
var contrast = compiled.Regexp(`(?:, (?:and )?not|,? rather than|,? instead of) [^,]*$`)

// agreement returns the "yes" or "no" at the start of a text if the reference is one.
func agreement(text, gold string) string {
	if gold == "" || !answersYes(Words(gold)) {
		return ""
	}
	if m := agreeing().FindStringSubmatch(text); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// agreeing matches a "yes" or "no" at the start of a text, before a sign or a clause.
var agreeing = compiled.Regexp(`(?i)^[\s*]*(yes|no|true|false)\b(?:[\s*]*(?:[^\s*\pL]|$)|\*| (?:it|they|he|she|we|you|I|this|that|these|those|there|because|since)\b)`)

// answersYes reports whether a word answers a question whether something is so.
func answersYes(word string) bool { return listed(" yes no true false ", word) && word != "" }

// lastSentence returns the last sentence of a text.
func lastSentence(text string) string {
	text = strings.TrimRight(text[max(0, len(text)-maxHint):], " \n.*!")
	text = text[strings.LastIndexByte(text, '\n')+1:]
	return text[strings.LastIndex(text, ". ")+1:]
}

var (
	linking     = compiled.Regexp(`(?i)^.*\b(?:is|are|was|were|be|has|have|becomes|remains|called|named)\s+(.*)$`)
	preposition = compiled.Regexp(`(?i)^.*\b(?:in|on|by|at|to|of)\s+(.*)$`)
	leader      = compiled.Regexp(`^\s*(?:(?:So|Thus|Hence|Therefore),?\s+)?([A-Z][a-z]+) (?:is|was|has|had|won|wins|came|finished|gets|got)\b[^.]*\b(?:\w+est|most|least|first|winner|one|only|answer)\b`)
	further     = compiled.Regexp(`(?i),? (?:with|that|whose|which|of (?:radius|side|length|order|degree|area)|in|on|at|for|when|where|by|centered|if)\b`)
	lacking     = compiled.Regexp(`(?i)\b((?:does|do) not .*)$`)
	ending      = compiled.Regexp(`(\pL+)$`)
	determiner  = compiled.Regexp(`(?i)^(?:(?:therefore|thus|always|just|simply|in|on|at|by|an?|the)\s+)+`)
	negation    = compiled.Regexp(`(?i)\b(?:not|never|neither|nor|or|either|than|before|after|except|unlike|instead|rather|between|and)\b|n't\b|n’t\b`)
)

// complement returns what a sentence says of its subject: "June" of "The drop was in June." If that
// has more words than the reference, it is what stands after a preposition of time or place.
func complement(sentence string, words int) string {
	if all := cues(lower(sentence), reasons); all != nil && all[0].start > 1 {
		sentence = strings.TrimRight(sentence[:all[0].start], ", ")
	}
	if m := leader().FindStringSubmatch(sentence); m != nil && !negation().MatchString(sentence) {
		return m[1]
	}
	m := linking().FindStringSubmatch(sentence)
	if m == nil {
		m = lacking().FindStringSubmatch(sentence)
	}
	if !negation().MatchString(sentence) {
		switch at := preposition().FindStringSubmatch(sentence); {
		case m == nil && at == nil && strings.Count(strings.TrimSpace(sentence), " ") < 2:
			return strings.TrimSpace(sentence)
		case m == nil && at == nil:
			m = ending().FindStringSubmatch(sentence)
		case m == nil:
			m = at
		}
	}
	if m == nil || len(m[1]) > maxPhrase {
		return ""
	}
	if loc := further().FindStringIndex(m[1]); loc != nil && len(strings.Fields(m[1])) > words {
		m[1] = m[1][:loc[0]]
	}
	if strings.ContainsAny(m[1], "$\\") {
		return ""
	}
	return strings.TrimSpace(strings.Trim(determiner().ReplaceAllString(m[1], ""), " *.,"))
}

// clock matches a time of day.
var clock = compiled.Regexp(`^(?:at )?(\d{1,2})(?::([0-5]\d))? ?(?:([ap])\.? ?m\b\.?)?$`)

// thin drops small spaces.
var thin = strings.NewReplacer(`\!`, "", `\,`, "")

// A Moment is a time of day in minutes after midnight, or after noon or midnight if its half is not told.
type Moment struct {
	minutes int
	half    bool
	Marked  bool // by a.m. or p.m.
}

// Same reports whether two moments are the same. A half counts if both tell it.
func (m Moment) Same(other Moment) bool {
	const half = 12 * 60
	return m.minutes == other.minutes || !(m.half && other.half) && m.minutes%half == other.minutes%half
}

// TimeOfDay reads a time of day.
func TimeOfDay(text string) (at Moment, ok bool) {
	if len(text) > maxPhrase || !strings.ContainsAny(text, ":mMn") || strings.ContainsAny(text, "=^_<>|()[]+/&") {
		return at, false
	}
	words := Words(thin.Replace(text))
	switch words {
	case "noon", "12 noon":
		words = "12 pm"
	case "midnight", "12 midnight":
		words = "12 am"
	}
	m := clock().FindStringSubmatch(words)
	if m == nil || m[2] == "" && m[3] == "" {
		return at, false
	}
	hour, _ := strconv.Atoi(m[1])
	minute, _ := strconv.Atoi("0" + m[2])
	at = Moment{hour*60 + minute, m[3] != "" || hour > 12 || hour == 0, m[3] != ""}
	if at.Marked {
		at.minutes = hour%12*60 + minute + strings.Index("ap", m[3])*12*60
	}
	return at, hour <= 24 && (!at.Marked || hour <= 12 && hour > 0)
}
