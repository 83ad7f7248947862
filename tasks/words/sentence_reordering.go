package words

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// sentenceReordering asks for the original order of the words of a sentence.
var sentenceReordering = task.Spec[sentenceReorderingParams, sentenceReorderingItem]{
	Name:     "sentence_reordering",
	Category: "algorithmic",
	Doc: "Put the shuffled words of a sentence back into their order. The capital letter and the punctuation show how it begins and ends, " +
		"and the sentences are built so that only one order is good English.",
	Source:  "Sentences composed for each problem, of parts written for this project; the settings are those of reasoning-gym.",
	Version: 5,
	Default: sentenceReorderingParams{MinWordsInSentence: 3, MaxWordsInSentence: 20},
	Levels: []sentenceReorderingParams{
		{MinWordsInSentence: 3, MaxWordsInSentence: 4},
		{MinWordsInSentence: 5, MaxWordsInSentence: 7},
		{MinWordsInSentence: 8, MaxWordsInSentence: 11},
		{MinWordsInSentence: 12, MaxWordsInSentence: 15},
		{MinWordsInSentence: 16, MaxWordsInSentence: 20},
		{MinWordsInSentence: 21, MaxWordsInSentence: 25},
	},
	Few: []string{
		"",
		"There are few sentences of that length.",
	},
	Make: makeSentenceReordering,
}

// sentenceReorderingParams are the settings of one difficulty.
type sentenceReorderingParams struct {
	MinWordsInSentence int `json:"min_words_in_sentence"`
	MaxWordsInSentence int `json:"max_words_in_sentence"`
}

// Check implements [task.Params].
func (p sentenceReorderingParams) Check() error {
	return task.CheckRange("words_in_sentence", p.MinWordsInSentence, p.MaxWordsInSentence, [2]int{3, longestSentence})
}

// sentenceReorderingItem is one sentence. Entries of reasoning-gym have the shuffled words
// only in the question, so Shuffled is empty there.
type sentenceReorderingItem struct {
	WordCount int     `json:"word_count"`
	Answer    *string `json:"answer"` // the sentence
	Shuffled  string  `json:"shuffled,omitempty"`
	Phrasing  int     `json:"phrasing,omitempty"`
}

// makeSentenceReordering draws a sentence, and shuffles it so that at most half of its
// words are in place.
func makeSentenceReordering(p sentenceReorderingParams, r *rng.Rand) (sentenceReorderingItem, error) {
	sentence := drawSentence(r.Between(p.MinWordsInSentence, p.MaxWordsInSentence), r)
	inOrder := strings.Split(sentence, " ")
	words := append(make([]string, 0, longestSentence), inOrder...)
	rng.ToFront(r, words, len(words))
	for range words {
		if 2*sameButForCase(words, inOrder) <= len(words) {
			break
		}
		first := words[0]
		copy(words, words[1:])
		words[len(words)-1] = first
	}
	return sentenceReorderingItem{
		WordCount: len(words), Answer: &sentence, Shuffled: string(appendJoined(make([]byte, 0, 256), words, " ")),
		Phrasing: r.Between(0, len(sentenceReorderingPhrasings)-1),
	}, nil
}

// sameButForCase counts the indexes where a and b have the same word, ignoring case.
func sameButForCase(a, b []string) (n int) {
	for i, word := range a {
		if len(word) == len(b[i]) && strings.EqualFold(word, b[i]) {
			n++
		}
	}
	return n
}

// sentenceReorderingPhrasings are the wordings of the question, before the words.
var sentenceReorderingPhrasings = []string{
	"Put the words of this sentence back in order: ",
	"These words make up a sentence, but they were shuffled. How does it read? ",
	"Someone cut a sentence into words and dropped them. Put it together again: ",
	"Make one sentence of exactly these words: ",
	"Restore the order of the words, so that they form an English sentence: ",
	"A magnetic poetry set has these words, each on its own tile. Lay them out as one sentence: ",
}

// Prompt implements [task.Instance].
func (s sentenceReorderingItem) Prompt() string {
	return sentenceReorderingPhrasings[s.Phrasing] + s.Shuffled +
		"\nPunctuation follows the word it belongs to. Answer with the sentence alone, all its words on one line."
}

// Short implements [task.Shortener].
func (s sentenceReorderingItem) Short() string { return "reorder " + s.Shuffled }

// Canonical implements [task.Canonicalizer]. The order of the words does not matter, since
// they were shuffled.
func (s sentenceReorderingItem) Canonical() string {
	return strings.Join(inOrder(strings.Fields(s.Shuffled), ascending), " ")
}

// Check refuses a record without a sentence, or with a different set of words. The
// word_count of reasoning-gym counts the parts of a word with an apostrophe.
func (s sentenceReorderingItem) Check() error {
	if s.Answer == nil || answer.Trim(*s.Answer) == "" {
		return errors.New("answer is missing")
	}
	words := answer.Fields(*s.Answer)
	if s.Shuffled != "" && !slices.Equal(inOrder(words, ascending), inOrder(answer.Fields(s.Shuffled), ascending)) {
		return errors.New("shuffled does not have the words of the answer")
	}
	return task.CheckPhrasing(s.Phrasing, len(sentenceReorderingPhrasings))
}

// Solve implements [task.Instance].
func (s sentenceReorderingItem) Solve() string { return *s.Answer }

// Score implements [task.Instance]. It ignores case and space between words. Two exchanged
// words cost their share of the words; anything else earns nothing, since long sentences
// share many words.
func (s sentenceReorderingItem) Score(text string) quintain.Verdict {
	if len(text) > 4*len(*s.Answer)+80 {
		return quintain.Wrong("the answer is too long to be the sentence")
	}
	got, want := answer.Fields(strings.ToLower(text)), answer.Fields(strings.ToLower(*s.Answer))
	switch {
	case len(got) == 0:
		return quintain.Malformed("the answer is empty")
	case len(got) != len(want):
		return quintain.Wrong(fmt.Sprintf("there are %d words, want %d", len(got), len(want)))
	}
	switch same := samePlaces(got, want); {
	case same == len(want):
		return quintain.Right()
	case same == len(want)-2 && 2*same > len(want) && exchanged(got, want):
		return quintain.Partial(float64(same)/float64(len(want)), "two words have changed places")
	default:
		return quintain.Wrong(fmt.Sprintf("%d of %d words are in their places", same, len(want)))
	}
}

// exchanged reports whether the words that differ are the same, in another order.
func exchanged(got, want []string) bool {
	first, last := -1, -1
	for i := range got {
		if got[i] != want[i] {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return got[first] == want[last] && got[last] == want[first]
}
