package words

import (
	"errors"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// wordSequenceReversal asks for words in reverse order.
var wordSequenceReversal = task.Spec[wordSequenceReversalParams, wordSequenceReversalItem]{
	Name:     "word_sequence_reversal",
	Category: "algorithmic",
	Doc:      "Write a list of words in reverse order, the words themselves unchanged.",
	Source:   "Words of package lexicon, from SCOWL (its own permissive licence); the settings are those of reasoning-gym.",
	Version:  5,
	List:     ", ",
	Default:  wordSequenceReversalParams{MinWords: 3, MaxWords: 8},
	Levels: []wordSequenceReversalParams{
		{MinWords: 2, MaxWords: 3},
		{MinWords: 4, MaxWords: 6},
		{MinWords: 8, MaxWords: 15},
		{MinWords: 20, MaxWords: 35},
		{MinWords: 50, MaxWords: 80},
		{MinWords: 120, MaxWords: 200},
	},
	Make: makeWordSequenceReversal,
	Ask: []string{
		"Reverse the order of these words: {words:, }",
		"Write the following list of words from its end to its beginning: {words:, }",
		"What is this list when its last word comes first and its first word last? {words:, }",
		"Read this list from right to left: {words:, }",
		"The words of a queue turn around, so that the last is now the first. The queue was: {words:, }",
		"Put the last of these words first, the last but one second, and so on: {words:, }",
	},
	Form:  "\nKeep the spelling of each word. Answer with the words alone, separated by a comma and a space, for example third, second, first.",
	Short: "reverse {words:, }",
	Match: task.Match,
}

// wordSequenceReversalParams are the settings of one difficulty.
type wordSequenceReversalParams struct {
	MinWords int `json:"min_words" want:"2 to 1000"`
	MaxWords int `json:"max_words" want:"min_words to 1000"`
}

// wordSequenceReversalItem is one list.
type wordSequenceReversalItem struct {
	NumWords int      `json:"num_words"`
	Words    []string `json:"words" want:"1 or more"` // in the order of the question
	Phrasing int      `json:"phrasing,omitempty"`
}

// makeWordSequenceReversal draws the words; the first and the last differ. One in five is
// capitalized.
func makeWordSequenceReversal(p wordSequenceReversalParams, r *rng.Rand) (wordSequenceReversalItem, error) {
	const longest = 10 // limit of letters in a word
	words := make([]string, r.Between(p.MinWords, p.MaxWords))
	for i := range words {
		words[i] = drawWord(lexicon.MinLetters, longest, r)
		if r.Chance(0.2) {
			words[i] = capitalized(words[i])
		}
	}
	if last := len(words) - 1; words[last] == words[0] {
		other := max(lexicon.MinLetters, (len(words[0])+1)%(longest+1)) // letters
		words[last] = drawWord(other, other, r)
	}
	return wordSequenceReversalItem{NumWords: len(words), Words: words, Phrasing: r.Between(0, 5)}, nil
}

// Canonical implements [task.Canonicalizer]. A list and the same list reversed are each the
// answer to the other.
func (w wordSequenceReversalItem) Canonical() string {
	return min(strings.Join(w.Words, ", "), w.Solve())
}

// Check refuses a record without words.
func (w wordSequenceReversalItem) Check() error {
	if w.Solve() == "" {
		return errors.New("words has only an empty word")
	}
	return nil
}

func (w wordSequenceReversalItem) Solve() string {
	b := make([]byte, 0, 256)
	for i, word := range slices.Backward(w.Words) {
		b = append(b, word...)
		if i > 0 {
			b = append(b, ", "...)
		}
	}
	return string(b)
}
