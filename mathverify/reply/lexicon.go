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

// A role says what a phrase of the lexicon does to the value beside it, or to the statement before
// it; roles add up.
type role uint32

const (
	states   role = 1 << iota // an answer follows; the form says how the language writes numbers
	denies                    // the value after it is not the answer
	refutes                   // the value before it is not the answer
	hedges                    // the value after it is only a possibility
	supposes                  // what follows it in its sentence, or all of the sentence if the form says "whole", is only supposed
	doubts                    // the value before it is only a possibility
	limits                    // the value after it is a bound
	changes                   // the value after it is the answer in another form, where "%" stands for it
	alters                    // the value before it is the answer in another form
	retracts                  // the statement before it does not count
	corrects                  // the statement before it does not count if a value follows
	confirms                  // the statement before it counts after all
	reasons                   // after a comma, the reason of what was said before
	keeps                     // no phrase within it counts
	turns                     // a denial ends; with the form "but", so does a supposition
	fills                     // it may stand between one of these and its value
	bounds                    // words after a value that hold it say something about it
	compares                  // the number before it, after a comma, is only a difference
	adjoins                   // a number after it, and after another number, is not the object of its sentence
)

// roleNames names the roles in the lexicon, in order.
const roleNames = "states denies refutes hedges supposes doubts limits changes alters retracts corrects confirms reasons keeps turns fills bounds compares adjoins"

// An entry is a row of the lexicon.
type entry struct {
	role     role
	language string
	form     string
}

// claims are the roles of phrases that change a value beside them.
const claims = denies | refutes | hedges | supposes | doubts | limits | changes | alters

// decimalComma is the form of statements in languages with a decimal comma.
const decimalComma = ","

//go:embed lexicon.txt
var lexicon string

// A lexeme is a phrase of the lexicon, with its row. If the phrase has several parts, "~" separates them in the
// lexicon, and any words of the same sentence in a text.
type lexeme struct {
	text string
	more []string
	*entry
}

// phrases returns the phrases of the lexicon by their first word; those in scripts without spaces, and
// in Korean, by their first character. The longest come first.
var phrases = sync.OnceValue(func() map[string][]lexeme {
	all := map[string][]lexeme{}
	for line := range strings.Lines(lexicon) {
		row := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 4)
		if row[0] == "#" {
			continue
		}
		e := &entry{1 << slices.Index(strings.Fields(roleNames), row[0]), row[1], row[2]}
		for _, text := range strings.Split(row[3], "|") {
			key := text[:wordAt(text)]
			parts := strings.Split(text, "~")
			all[key] = append(all[key], lexeme{parts[0], parts[1:], e})
		}
	}
	for _, list := range all {
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
	if !strings.HasPrefix(low, p.text) || !parted(p.text, low[len(p.text):]) {
		return false
	}
	said, end := low[:min(len(low), maxHint)], 0
	for _, part := range p.more {
		at := wordIndex(said[end:], part)
		if at < 0 {
			return false
		}
		end += at + len(part)
	}
	return end == 0 || sentenceEnd(said) >= end
}

// wordIndex returns where whole words begin in a text, or -1.
func wordIndex(text, words string) int {
	for at := 0; ; at += len(words) {
		n := strings.Index(text[at:], words)
		if n < 0 {
			return -1
		}
		if at += n; parted(text[:at], words) && parted(words, text[at+len(words):]) {
			return at
		}
	}
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
		if strings.ContainsRune("?\n。？！", c) || c == '.' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n') {
			return i
		}
	}
	return len(text)
}

// phraseAt returns the longest phrase of the roles at the start of a text in lower case, or nothing.
func phraseAt(low string, want role) (found lexeme) {
	for _, p := range phrases()[low[:wordAt(low)]] {
		if p.role&want != 0 && p.begins(low) {
			return p
		}
	}
	return lexeme{}
}

// cues returns the phrases of the roles in a text in lower case, in order; of those that begin together,
// the longest.
func cues(low string, roles role) (all []cue) {
	known := phrases()
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
		for _, p := range known[low[i:next]] {
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
			if p.role != keeps {
				all = append(all, cue{p.entry, i, i + longest})
			}
		}
		i = next
	}
	return all
}
