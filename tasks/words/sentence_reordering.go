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

// sentenceReordering asks for the original order of the words of sentences.
var sentenceReordering = task.Spec[sentenceReorderingParams, sentenceReorderingItem]{
	Name:     "sentence_reordering",
	Category: "algorithmic",
	Doc: "Put the shuffled words of a sentence, or of each of several, back into their order. The capital letter and the punctuation show how it begins and ends, " +
		"and the sentences are built so that only one order is good English.",
	Source:  "Sentences composed for each problem, of parts written for this project; the settings are those of reasoning-gym, except for sentences.",
	Version: 6,
	Default: sentenceReorderingParams{MinWordsInSentence: 3, MaxWordsInSentence: 20, Sentences: 1},
	Levels: []sentenceReorderingParams{
		{MinWordsInSentence: 3, MaxWordsInSentence: 4, Sentences: 1},
		{MinWordsInSentence: 5, MaxWordsInSentence: 7, Sentences: 1},
		{MinWordsInSentence: 8, MaxWordsInSentence: 11, Sentences: 1},
		{MinWordsInSentence: 12, MaxWordsInSentence: 15, Sentences: 1},
		{MinWordsInSentence: 16, MaxWordsInSentence: 20, Sentences: 1},
		{MinWordsInSentence: 21, MaxWordsInSentence: 25, Sentences: 1},
		{MinWordsInSentence: 21, MaxWordsInSentence: 25, Sentences: 4},
		{MinWordsInSentence: 21, MaxWordsInSentence: 25, Sentences: 12},
	},
	Few: []string{
		"",
		"There are few sentences of that length.",
	},
	Make: makeSentenceReordering,
}

// sentenceReorderingParams are the settings of one difficulty.
type sentenceReorderingParams struct {
	MinWordsInSentence int `json:"min_words_in_sentence" want:"3 to 25"`
	MaxWordsInSentence int `json:"max_words_in_sentence" want:"min_words_in_sentence to 25"`
	Sentences          int `json:"sentences" want:"1 to 20"`
}

// sentenceReorderingItem is one or more sentences. Entries of reasoning-gym have the shuffled
// words only in the question, so Shuffled is empty there.
type sentenceReorderingItem struct {
	WordCount int     `json:"word_count"`         // of all sentences
	Answer    *string `json:"answer"`             // the sentences, each on a line
	Shuffled  string  `json:"shuffled,omitempty"` // the words of each, on a line in the same place
	Phrasing  int     `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeSentenceReordering draws sentences, and shuffles each.
func makeSentenceReordering(p sentenceReorderingParams, r *rng.Rand) (item sentenceReorderingItem, err error) {
	sentences, lines := make([]string, p.Sentences), make([]string, p.Sentences)
	for i := range sentences {
		sentences[i] = drawSentence(r.Between(p.MinWordsInSentence, p.MaxWordsInSentence), r)
		words := shuffledWords(sentences[i], r)
		lines[i] = string(appendJoined(make([]byte, 0, 256), words, " "))
		item.WordCount += len(words)
	}
	text := strings.Join(sentences, "\n")
	item.Answer, item.Shuffled = &text, strings.Join(lines, "\n")
	item.Phrasing = r.Between(0, len(sentenceReorderingPhrasings)-1)
	return item, nil
}

// shuffledWords shuffles the words of a sentence so that at most half of them are in place.
func shuffledWords(sentence string, r *rng.Rand) []string {
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
	return words
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

// sentenceReorderingPhrasings are the wordings of the question, before the words of one
// sentence, and before lines with the words of one each.
var sentenceReorderingPhrasings = [][2]string{
	{"Put the words of this sentence back in order: ", "Each line has the words of one sentence. Put them back in order:"},
	{
		"These words make up a sentence, but they were shuffled. How does it read? ",
		"The words of each line make up a sentence, but they were shuffled. How do the sentences read?",
	},
	{
		"Someone cut a sentence into words and dropped them. Put it together again: ",
		"Someone cut several sentences into words, and shuffled the words of each. Put the sentences together again, line by line:",
	},
	{"Make one sentence of exactly these words: ", "Make one sentence of exactly the words of each line:"},
	{
		"Restore the order of the words, so that they form an English sentence: ",
		"Restore the order of the words in each line, so that every line is an English sentence:",
	},
	{
		"A magnetic poetry set has these words, each on its own tile. Lay them out as one sentence: ",
		"A magnetic poetry set has these words, each on its own tile, in several rows. Lay out each row as one sentence:",
	},
}

func (s sentenceReorderingItem) Prompt() string {
	words := sentenceReorderingPhrasings[s.Phrasing]
	if strings.Contains(s.Shuffled, "\n") {
		return words[1] + "\n" + s.Shuffled +
			"\nPunctuation follows the word it belongs to. Answer with the sentences alone, in the same order, each with all its words on a line of its own."
	}
	return words[0] + s.Shuffled +
		"\nPunctuation follows the word it belongs to. Answer with the sentence alone, all its words on one line."
}

func (s sentenceReorderingItem) Short() string {
	return "reorder " + strings.ReplaceAll(s.Shuffled, "\n", " / ")
}

// Canonical implements [task.Canonicalizer]. The order of the words in a line does not
// matter, since they were shuffled.
func (s sentenceReorderingItem) Canonical() string {
	lines := strings.Split(s.Shuffled, "\n")
	for i, line := range lines {
		lines[i] = strings.Join(inOrder(strings.Fields(line), ascending), " ")
	}
	return strings.Join(lines, "\n")
}

// Check refuses a record without a sentence, or with a different set of words. The
// word_count of reasoning-gym counts the parts of a word with an apostrophe.
func (s sentenceReorderingItem) Check() error {
	if s.Answer == nil || answer.Trim(*s.Answer) == "" {
		return errors.New("answer is missing")
	}
	if s.Shuffled != "" && !slices.EqualFunc(strings.Split(*s.Answer, "\n"), strings.Split(s.Shuffled, "\n"), sameWords) {
		return errors.New("shuffled does not have the words of the answer, line by line")
	}
	return nil
}

// sameWords reports whether two lines have the same words, in whatever order.
func sameWords(a, b string) bool {
	return slices.Equal(inOrder(answer.Fields(a), ascending), inOrder(answer.Fields(b), ascending))
}

func (s sentenceReorderingItem) Solve() string { return *s.Answer }

// Score implements [task.Scorer]. It ignores case and space between words. Two exchanged
// words cost their share of the words of their sentence; anything else earns nothing, since
// long sentences share many words.
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
	same := samePlaces(got, want)
	if same == len(want) {
		return quintain.Right()
	}
	if same == len(want)-2 {
		if share := s.exchanged(got, want); share > 0.5 {
			return quintain.Partial(share, "two words have changed places")
		}
	}
	return quintain.Wrong(fmt.Sprintf("%d of %d words are in their places", same, len(want)))
}

// exchanged returns the share of the words of a sentence that are in their places, where two
// are exchanged; it is 0 if the two that differ are not the same words in another order, or
// are not in the same sentence.
func (s sentenceReorderingItem) exchanged(got, want []string) (share float64) {
	first, last := -1, -1
	for i := range got {
		if got[i] != want[i] {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	if got[first] != want[last] || got[last] != want[first] {
		return 0
	}
	for sentence := range strings.SplitSeq(*s.Answer, "\n") {
		n := len(answer.Fields(sentence))
		if last < n && first >= 0 {
			return float64(n-2) / float64(n)
		}
		first, last = first-n, last-n
	}
	return 0
}
