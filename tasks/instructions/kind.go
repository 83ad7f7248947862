package instructions

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A kind is a kind of instruction: a predicate over texts, with its wordings.
type kind struct {
	name    string
	tier    int      // 1 to 3, from easy to hard
	takes   aspects  // of the text that it decides; no two instructions of a problem take the same
	refuses aspects  // that no other instruction of the problem may decide
	counts  notions  // whose meaning the prompt must state
	words   int      // how many words its rule has at least
	says    []string // with %n, %m, %w and %l for the parameters

	draw  func(r *rng.Rand) rule
	check func(rule, *prose) (why string) // empty: the text keeps it

	// How our own solutions keep it; nil where nothing is to do.
	word  func(rule, string) bool         // may the word, in lower case, occur at all
	plan  func(rule, *draft)              // before the words are chosen
	step  func(rule, *draft, string) bool // may the word come next
	likes func(rule, *draft, string) bool // would the word be welcome
}

// A rule is an instruction: a kind and its parameters.
type rule struct {
	Kind  string   `json:"kind"`
	N     int      `json:"n,omitempty"`
	M     int      `json:"m,omitempty"`
	Words []string `json:"words,omitempty"`
}

// aspects are parts of a text that one instruction alone may decide.
type aspects uint

const (
	wordCount     aspects = 1 << iota
	sentenceCount         // how many sentences
	sentenceWords         // how many words a sentence has
	starts                // how sentences start
	ends                  // how sentences end
	marks                 // signs at the ends of sentences
	order                 // which words may follow each other
	shape                 // paragraphs and lines
	letterCase
	head   // how the text starts
	tail   // how the text ends
	stars  // asterisks
	digits // numbers in digits
	commas
	repeats // how often words occur

	everySentence = sentenceCount | sentenceWords | starts | ends | marks | order
)

// notions are what a prompt must define.
type notions uint

const (
	ofWords notions = 1 << iota
	ofSentences
	ofParagraphs
)

// definitions explain the notions.
var definitions = [...]string{
	"Words are separated by spaces or dashes, and words joined by a hyphen count as one.",
	"A sentence ends with a full stop, an exclamation mark or a question mark, or with its line.",
	"Paragraphs are separated by an empty line.",
}

// kinds holds all kinds, those that the field knows first.
var kinds = slices.Concat(countKinds, wordingKinds, layoutKinds, sentenceKinds, letterKinds)

// kindNamed returns the kind of a rule.
func kindNamed(name string) (k *kind, known bool) {
	for i := range kinds {
		if kinds[i].name == name {
			return &kinds[i], true
		}
	}
	return nil, false
}

// of returns the kind of a rule that was checked.
func (r rule) of() *kind {
	k, _ := kindNamed(r.Kind)
	return k
}

// conflicts reports whether two kinds cannot be combined.
func (k *kind) conflicts(with *kind) bool {
	return k == with || k.takes&(with.takes|with.refuses) != 0 || k.refuses&with.takes != 0
}

// check refuses a rule that the other methods could not handle.
func (r rule) check() error {
	const mostNumber, mostWords, longestWord = 400, 8, 60
	k, known := kindNamed(r.Kind)
	switch {
	case !known:
		return fmt.Errorf("kind is %.40q, want a known one", r.Kind)
	case r.N < 1 || r.N > mostNumber || r.M < 0 || r.M > mostNumber:
		return fmt.Errorf("n or m of %s is %d or %d, want 1 to %d", r.Kind, r.N, r.M, mostNumber)
	case len(r.Words) < k.words || len(r.Words) > mostWords:
		return fmt.Errorf("words of %s are %d, want %d to %d", r.Kind, len(r.Words), k.words, mostWords)
	}
	for _, word := range r.Words {
		if word == "" || len(word) > longestWord || strings.ContainsAny(word, "\n\"") {
			return fmt.Errorf("a word of %s is %.80q, want a short text without quotes", r.Kind, word)
		}
	}
	return nil
}

// say writes the instruction in one of its wordings.
func (r rule) say(wording int) string {
	says := r.of().says
	return string(task.AppendFilled(nil, says[wording%len(says)], func(c byte) string {
		switch c {
		case 'n':
			return strconv.Itoa(r.N)
		case 'm':
			return strconv.Itoa(r.M)
		case 'w':
			return strconv.Quote(r.Words[0])
		case 'x':
			return r.Words[0]
		}
		return quotedList(r.Words)
	}))
}

// quotedList writes "a", "b" and "c".
func quotedList(words []string) string {
	var b strings.Builder
	for i, word := range words {
		switch {
		case i > 0 && i == len(words)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(word))
	}
	return b.String()
}

// numbers draws a rule with a number.
func numbers(low, high int) func(*rng.Rand) rule {
	return func(r *rng.Rand) rule { return rule{N: r.Between(low, high)} }
}

// oneOf draws a rule with a word from a list, and a number.
func oneOf(list []string, low, high int) func(*rng.Rand) rule {
	return func(r *rng.Rand) rule { return rule{N: r.Between(low, high), Words: []string{rng.Pick(r, list)}} }
}

// someOf draws a rule with different words from a list.
func someOf(list []string, low, high int) func(*rng.Rand) rule {
	return func(r *rng.Rand) rule {
		return rule{N: 1, Words: rng.Sample(r, list, r.Between(low, high))}
	}
}

// letterOf draws a rule with a letter, and a number.
func letterOf(alphabet string, low, high int) func(*rng.Rand) rule {
	return func(r *rng.Rand) rule {
		i := r.Between(0, len(alphabet)-1)
		return rule{N: r.Between(low, high), Words: []string{alphabet[i : i+1]}}
	}
}

// letter returns the letter of a rule.
func (r rule) letter() byte { return r.Words[0][0] }

// differs says how many there are, if not want.
func differs(what string, got, want int) string {
	if got == want {
		return ""
	}
	return fmt.Sprintf("there are %d %s, want %d", got, what, want)
}

// tooFew says how many there are, if not least or more.
func tooFew(what string, got, least int) string {
	if got >= least {
		return ""
	}
	return fmt.Sprintf("there are %d %s, want %d or more", got, what, least)
}
