package reply

import (
	"cmp"
	_ "embed" // for the lexicon
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// A role says what a phrase of the lexicon tends to do to the value beside it, or to the statement before
// it: grammar.txt weighs it, and some rules go by it. Roles add up.
type role uint64

const (
	states     role = 1 << iota // an answer follows; the form says how the language writes numbers
	denies                      // the value after it is not the answer
	refutes                     // the value before it is not the answer
	hedges                      // the value after it is only a possibility
	doubts                      // the value before it is only a possibility
	limits                      // the value after it is a bound
	changes                     // the value after it is the answer in another form, where "%" stands for it
	alters                      // the value before it is the answer in another form
	retracts                    // the statement before it does not count
	corrects                    // the statement before it does not count if a value follows
	confirms                    // the statement before it counts after all
	reasons                     // after a comma, the reason of what was said before
	keeps                       // no phrase within it counts
	turns                       // a denial ends
	fills                       // it may stand between one of these and its value
	bounds                      // words after a value that hold it say something about it
	compares                    // the number before it, after a comma, is only a difference
	adjoins                     // a number after it, and after another number, is not the object of its sentence
	giving                      // the value after it is stated; with the form "is", by the verb of a main clause
	labels                      // a noun with its value after it
	mutes                       // its clause states no value after it; "no": it denies; "near": before it, up to a comma; "after": before it
	reports                     // its sentence states no value after it; "first": if it begins the sentence
	thats                       // what follows is said by the words before it
	factive                     // these words state what follows
	relates                     // a relative clause begins
	contrasts                   // a clause begins for which nothing before it counts
	concludes                   // a clause begins that follows from those before it
	holds                       // after a value: it is the answer
	predicates                  // after a value: the sentence says something of it
	definite                    // it tells of a number known before
	articles                    // with the definite ones: a clause begins, and not a relative one
	numbers                     // the number of the form; with the form "/", no number with the one before it
	finds                       // after a denial in its clause, or "alone": the reply has no answer
	spares                      // beside these: what it denies is another answer
	explains                    // at the beginning of a sentence: it only explains or checks what was said
)

// roleNames names the roles in the lexicon, in order.
const roleNames = "states denies refutes hedges doubts limits changes alters retracts corrects confirms reasons keeps turns fills bounds compares adjoins giving labels mutes reports thats factive relates contrasts concludes holds predicates definite articles numbers finds spares explains"

// An entry is a row of the lexicon.
type entry struct {
	role     role
	language string
	form     string
	kind     int
}

// claims are the roles of phrases that change a value beside them.
const claims = denies | refutes | hedges | doubts | limits | changes | alters

// decimalComma is the form of statements in languages with a decimal comma.
const decimalComma = ","

//go:embed lexicon.txt
var lexicon string

// A lexeme is a phrase of the lexicon, with its row.
type lexeme struct {
	text string
	*entry
}

// An index finds phrases by their first word; those in scripts without spaces, and in Korean, by their first
// character. The longest come first.
type index struct {
	phrases map[string][]lexeme
	roles   [1 << 12]role // of all phrases whose first words have the same sum
}

// sum is the place of a word in the roles of an index.
func sum(word string) (n uint32) {
	for i := range len(word) {
		n = n*31 + uint32(word[i])
	}
	return n % (1 << 12)
}

// at returns the phrases that begin with a word, if some have one of the roles.
func (x *index) at(word string, want role) []lexeme {
	if x.roles[sum(word)]&want == 0 {
		return nil
	}
	return x.phrases[word]
}

// lexemes returns the index of the lexicon.
var lexemes = sync.OnceValue(func() *index {
	all := &index{phrases: map[string][]lexeme{}}
	names := kindNames()
	for line := range strings.Lines(lexicon) {
		row := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if row[0] == "#" {
			continue
		}
		e := &entry{1 << slices.Index(strings.Fields(roleNames), row[0]), row[1], row[2], slices.Index(names, kindName(row[0], row[2]))}
		for _, text := range strings.Split(row[3], "|") {
			word := text[:wordAt(text)]
			all.phrases[word] = append(all.phrases[word], lexeme{text, e})
			all.roles[sum(word)] |= e.role
		}
	}
	for _, list := range all.phrases {
		slices.SortStableFunc(list, func(a, b lexeme) int { return cmp.Compare(len(b.text), len(a.text)) })
	}
	return all
})

// wordAt returns the length of the word at the start of a text: of one character in scripts without
// spaces, and for signs.
func wordAt(text string) int {
	n := 0
	for n < len(text) && (text[n] >= 'a' && text[n] <= 'z' || text[n] == '\'' && n > 0) {
		n++
	}
	if n > 0 && (n == len(text) || text[n] < utf8.RuneSelf) {
		return n
	}
	for i, r := range text {
		switch {
		case r == '\'' && i > 0:
		case !unicode15.IsLetter(r), dense(r):
			if i > 0 {
				return i
			}
			_, n := utf8.DecodeRuneInString(text)
			return n
		}
	}
	return len(text)
}

// dense reports whether a character belongs to a script whose phrases need no space around them.
func dense(r rune) bool { return r >= 0x2E80 }

// A cue is a phrase of the lexicon in a text.
type cue struct {
	*entry
	start, end int
}

// begins reports whether a text in lower case begins with the phrase, as whole words.
func (p lexeme) begins(low string) bool {
	return strings.HasPrefix(low, p.text) && parted(p.text, low[len(p.text):])
}

// parted reports whether a word may end between two texts.
func parted(before, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return !unicode15.IsLetter(last) || dense(last) || !unicode15.IsLetter(next) || dense(next)
}

// sentenceEnd returns where the sentence at the start of a text ends.
func sentenceEnd(text string) int {
	for i, c := range text {
		if strings.ContainsRune("?\n。？！", c) || c == '.' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' || strings.HasPrefix(text[i+1:], `\]`) || strings.HasPrefix(text[i+1:], "$ ")) {
			return i
		}
	}
	return len(text)
}

// phraseAt returns the longest phrase of the roles at the start of a text in lower case, or nothing.
func phraseAt(low string, want role) (found lexeme) {
	for _, p := range lexemes().at(low[:wordAt(low)], want) {
		if p.role&want != 0 && p.begins(low) {
			return p
		}
	}
	return lexeme{}
}

// cues returns the phrases of the roles in a text in lower case, in order; of those that begin together,
// the longest.
func cues(low string, roles role) (all []cue) {
	known := lexemes()
	for i := 0; i < len(low); {
		if c := low[i]; c < utf8.RuneSelf && (c < 'a' || c > 'z') && c != '?' && c != '#' && c != ',' && c != '%' {
			i++
			continue
		}
		next := i + wordAt(low[i:])
		if i > 0 && low[i-1] == '\\' { // a command
			i = next
			continue
		}
		longest := 0
		for _, p := range known.at(low[i:next], roles|keeps) {
			if len(p.text) < longest {
				break
			}
			if p.role&(roles|keeps) == 0 || !p.begins(low[i:]) {
				continue
			}
			longest = len(p.text)
			if r, _ := utf8.DecodeRuneInString(p.text); dense(r) || p.role == keeps { // else it may hold another
				next = max(next, i+longest)
			}
			if p.role != keeps && all == nil {
				all = make([]cue, 0, 16)
			}
			if p.role != keeps {
				all = append(all, cue{p.entry, i, i + longest})
			}
		}
		i = next
	}
	return all
}
