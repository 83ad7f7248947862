package reply

import (
	_ "embed" // for the weights
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// The kinds of signs, and of words that the lexicon does not have. The other kinds are the rows of the lexicon with one
// role; some roles have a kind for each form.
const (
	edge      = iota // nothing
	strange          // a word
	character        // of a script without spaces
	figure           // a number
	measure          // a unit
	initial          // a letter
	signs            // the first of the kinds of sign
)

// kindsOfSigns lists the signs of the kinds of sign; others are of the kind after the last.
var kindsOfSigns = []string{",，、", ";；", ":：", "(（", ")）]}", "\"“”«»„「」'", "-–—−", "=≈≡<>≤≥∈", "€£¥₹%°", "?!？！"}

// kinds is a set of kinds.
type kinds uint64

// kindNames returns the names of the kinds, at most 64.
var kindNames = sync.OnceValue(func() []string {
	names := strings.Fields("edge strange character figure unit letter comma semicolon colon open shut quote dash equals money exclamation sign")
	for line := range strings.Lines(lexicon) {
		if row := strings.SplitN(line, " ", 4); row[0] != "#" && !slices.Contains(names, kindName(row[0], row[2])) {
			names = append(names, kindName(row[0], row[2]))
		}
	}
	return names
})

// kindName returns the name of the kind of a row.
func kindName(role, form string) string {
	if form == "-" || listed(" states changes alters numbers ", role) {
		return role
	}
	return role + "." + form
}

// A token is a word, a phrase of the lexicon, or a sign, with its kinds.
type token struct {
	text  string
	kinds kinds
}

// unread are signs of layout, which are no tokens.
const unread = " *_#$\\[{`>\n\t\r."

// tokensOf returns the tokens of a text in lower case: of phrases that begin together, the longest.
func tokensOf(low string) []token {
	all := make([]token, 0, 32)
	known := lexemes()
	for i := 0; i < len(low); {
		if strings.IndexByte(unread, low[i]) >= 0 {
			i++
			continue
		}
		n := wordAt(low[i:])
		t := token{}
		for _, p := range known.phrases[low[i:i+n]] {
			if t.kinds != 0 && len(p.text) < n {
				break
			}
			if p.begins(low[i:]) {
				n = len(p.text)
				t.kinds |= 1 << p.kind
			}
		}
		if t.kinds == 0 {
			t.kinds, n = kindOf(low[i:], n)
		}
		t.text = low[i : i+n]
		all = append(all, t)
		i += n
	}
	return all
}

// kindOf returns the kind of the word of n bytes, or of the sign, at the start of a text, and its length.
func kindOf(low string, n int) (kinds, int) {
	r, size := utf8.DecodeRuneInString(low)
	switch {
	case isDigit(low[0]):
		for n = 1; n < len(low) && (isDigit(low[n]) || strings.IndexByte(".,/", low[n]) >= 0 && n+1 < len(low) && isDigit(low[n+1])); {
			n++
		}
		return 1 << figure, n
	case dense(r) && unicode15.IsLetter(r):
		return 1 << character, size
	case unicode15.IsLetter(r) && n == 1:
		return 1 << initial, n
	case unicode15.IsLetter(r):
		if _, ok := named(low[:n]); ok {
			return 1 << measure, n
		}
		return 1 << strange, n
	}
	kind := slices.IndexFunc(kindsOfSigns, func(list string) bool { return strings.ContainsRune(list, r) })
	if kind < 0 {
		kind = len(kindsOfSigns)
	}
	return 1 << (signs + kind), size
}

// The places around a value.
const (
	before        = iota // the words before it, the nearest first
	after         = iota + maxNear - 1
	clauseFirst   = iota + 2*maxNear - 2 // the first word of its clause
	sentenceFirst                        // the first word of its sentence
	restFirst                            // the first word after its sentence
	inClause                             // any word of its clause before it
	inSentence                           // any word of its sentence before its clause
	behind                               // any word after it up to a comma
	farBehind                            // any later word of its sentence
	inRest                               // any word after its sentence
	earlier                              // any word before its sentence
	around                               // a pair: the words before and after it
	twoBefore                            // a pair: the two words before it
	twoAfter                             // a pair: the two words after it
	countBefore                          // a pair: the number of words before it in its clause, and the word before it
	countAfter                           // a pair: that number, and the word after it
	facts                                // what else is known
	places
)

// maxNear is the number of the nearest words before and after a value.
const maxNear = 3

// placeNames names the places, and factNames what else is known of a value: the rule that found it, numbers of words up
// to 3, whether its sentence asks, and whether it ends or begins the reply, is bold or money, has a name or comes again.
const (
	placeNames = "before before1 before2 after after1 after2 clause_first sentence_first rest_first clause sentence behind far_behind rest earlier around two_before two_after count_before count_after fact"
	factNames  = "value box tag bare statement formula number text none words0 words1 words2 words3 strange0 strange1 strange2 strange3 behind0 behind1 behind2 behind3 asked end start bold choice phrase again named money"
)

// factList returns the names of the facts.
var factList = sync.OnceValue(func() []string { return strings.Fields(factNames) })

// A Mark speaks for or against a value: a kind or a word at a place, a pair of kinds, or a fact.
type Mark struct {
	place, a, b uint8
	word        string
}

// String names a mark as grammar.txt does.
func (m Mark) String() string {
	name := strings.Fields(placeNames)[m.place]
	switch {
	case m.word != "":
		return name + " word\t" + m.word
	case m.place >= around && m.place < facts:
		return name + " " + kindNames()[m.a] + "\t" + kindNames()[m.b]
	case m.place == facts:
		return name + "\t" + factList()[m.a]
	}
	return name + "\t" + kindNames()[m.a]
}

// marker collects marks.
type marker []Mark

// add adds a mark for each kind.
func (m *marker) add(place int, all kinds) {
	for ; all != 0; all &= all - 1 {
		*m = append(*m, Mark{place: uint8(place), a: uint8(bits.TrailingZeros64(uint64(all)))})
	}
}

// words adds the marks of a list of words, and returns the number of those that the lexicon does not have.
func (m *marker) words(place int, list []token) (unknown int) {
	var all kinds
	for _, t := range list {
		all |= t.kinds
		if t.kinds == 1<<strange {
			unknown++
		}
		if place != earlier && unicode15.IsLetter(first(t.text)) {
			*m = append(*m, Mark{place: uint8(place), word: t.text})
		}
	}
	m.add(place, all)
	return unknown
}

// pair adds a mark for each pair of kinds.
func (m *marker) pair(place int, first, second kinds) {
	for ; first != 0; first &= first - 1 {
		for rest := second; rest != 0; rest &= rest - 1 {
			*m = append(*m, Mark{place: uint8(place), a: uint8(bits.TrailingZeros64(uint64(first))), b: uint8(bits.TrailingZeros64(uint64(rest)))})
		}
	}
}

// fact adds a fact if it holds.
func (m *marker) fact(name string, holds bool) {
	if holds {
		*m = append(*m, Mark{place: facts, a: factIndex()[name]})
	}
}

// count adds the fact of a number of words.
func (m *marker) count(name string, number int) {
	*m = append(*m, Mark{place: facts, a: factIndex()[name] + uint8(min(number, 3))})
}

// factIndex returns the numbers of the facts, and of the first of those that count.
var factIndex = sync.OnceValue(func() map[string]uint8 {
	index := map[string]uint8{}
	for i, name := range factList() {
		index[name] = uint8(i)
		if counting, ok := strings.CutSuffix(name, "0"); ok {
			index[counting] = uint8(i)
		}
	}
	return index
})

// at returns the kinds of a token, or of none.
func at(all []token, i int) kinds {
	if i < 0 || i >= len(all) {
		return 1 << edge
	}
	return all[i].kinds
}

// marks returns what speaks for or against a candidate that stands there.
func (w *walk) marks(c Candidate, start, end int) []Mark {
	text, found, rule, want := w.text, c.Found, c.Rule, w.want
	p := placeOf(text, start, end)
	sentence := tokensOf(p.before[:p.clause])
	head := len(sentence)
	sentence = append(sentence, tokensOf(p.before[p.clause:])...)
	clause, tail, rest := sentence[head:], tokensOf(p.after), tokensOf(p.rest)
	comma := slices.IndexFunc(tail, func(t token) bool { return t.kinds&(0xF<<signs) != 0 })
	if comma < 0 {
		comma = len(tail)
	}
	m := make(marker, 0, 160)
	last := len(clause) - 1
	for i := range maxNear {
		m.add(before+i, at(clause, last-i))
		m.add(after+i, at(tail, i))
	}
	m.add(clauseFirst, at(clause, 0))
	m.add(sentenceFirst, at(sentence, 0))
	m.add(restFirst, at(rest, 0))
	m.count("words", len(clause))
	m.count("strange", m.words(inClause, clause))
	m.words(inSentence, sentence[:head])
	m.count("behind", m.words(behind, tail[:comma]))
	m.words(farBehind, tail[comma:])
	m.words(inRest, rest)
	if rule != RuleBox && rule != RuleTag {
		m.words(earlier, tokensOf(p.earlier))
	}
	number := kinds(1) << min(len(clause), 3)
	m.pair(around, at(clause, last), at(tail, 0))
	m.pair(twoBefore, at(clause, last-1), at(clause, last))
	m.pair(twoAfter, at(tail, 0), at(tail, 1))
	m.pair(countBefore, number, at(clause, last))
	m.pair(countAfter, number, at(tail, 0))
	m.fact("value", true)
	m.fact(string(rule), true)
	m.fact("asked", p.asked)
	m.fact("end", len(text)-end < maxOf && Blank(text[end:]))
	m.fact("start", start < maxOf && Blank(text[:start]))
	m.fact("bold", strings.HasSuffix(text[:start], "**"))
	m.fact("choice", want.letter)
	m.fact("phrase", want.phrase != "")
	m.fact("again", strings.Contains(text[end:min(len(text), end+maxHint)], found))
	m.fact("named", strings.Contains(found, "="))
	m.fact("money", strings.ContainsAny(found, "$€£₹%"))
	return m
}

//go:embed grammar.txt
var grammar string

// weights returns what each mark adds to the score of a value, in two tables: of kinds and facts, and of words.
var weights = sync.OnceValues(func() ([]int16, map[Mark]int16) {
	table, words := make([]int16, places<<12), map[Mark]int16{}
	names, all := kindNames(), strings.Fields(placeNames)
	for line := range strings.Lines(grammar) {
		place, list, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		place, first, _ := strings.Cut(place, " ")
		for _, entry := range strings.Split(list, "|") {
			name, number, _ := strings.Cut(entry, "=")
			weight, _ := strconv.Atoi(number)
			m := Mark{place: uint8(slices.Index(all, place))}
			switch {
			case first == "word":
				m.word = name
				words[m] = int16(weight)
				continue
			case first != "":
				m.a, m.b = uint8(slices.Index(names, first)), uint8(slices.Index(names, name))
			case m.place == facts:
				m.a = uint8(slices.Index(factList(), name))
			default:
				m.a = uint8(slices.Index(names, name))
			}
			table[m.index()] = int16(weight)
		}
	}
	return table, words
})

// index returns the place of a mark without a word in the table of weights.
func (m Mark) index() int { return int(m.place)<<12 | int(m.a)<<6 | int(m.b) }

// Stated reports whether the reply states the candidate, by the judgement of the weights: whether more speaks for it
// than against it.
func (c Candidate) Stated() bool {
	table, words := weights()
	sum := 0
	for _, m := range c.Marks {
		if m.word == "" {
			sum += int(table[m.index()])
		} else {
			sum += int(words[m])
		}
	}
	return c.Marks == nil || sum > 0
}
