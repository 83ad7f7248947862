package words

import (
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task/rng"
)

// appendJoined appends words with a separator.
func appendJoined(b []byte, words []string, between string) []byte {
	for i, word := range words {
		if i > 0 {
			b = append(b, between...)
		}
		b = append(b, word...)
	}
	return b
}

// longestSentence is the number of words of the longest sentence.
const longestSentence = 25

// A proseText is the sentences of package lexicon without their punctuation.
type proseText struct {
	words   []string                      // of all sentences, in order, as spelled
	capital [longestSentence + 1][]string // sentences in capitals, by number of words
}

var prose = sync.OnceValue(func() *proseText {
	text := new(proseText)
	for _, sentence := range lexicon.Sentences() {
		words := strings.Fields(strings.NewReplacer(",", "", ".", "", "?", "").Replace(sentence))
		text.words = append(text.words, words...)
		text.capital[len(words)] = append(text.capital[len(words)], strings.ToUpper(strings.Join(words, " ")))
	}
	return text
})

// span returns n consecutive words of the text, which wraps around. The caller must not
// change them.
func (t *proseText) span(n int, r *rng.Rand) []string {
	at := r.Between(0, len(t.words)-1)
	words := t.words[at:min(len(t.words), at+n)]
	for len(words) < n {
		words = append(words[:len(words):len(words)], t.words[:min(len(t.words), n-len(words))]...)
	}
	return words
}

// appendSentences appends sentences with n words in all, in capitals and with a space
// before each. If no sentence is short enough, it cuts one off.
func (t *proseText) appendSentences(b []byte, n int, r *rng.Rand) []byte {
	const shortest = 3
	for n > 0 {
		size := n
		if n > longestSentence {
			size = r.Between(shortest, min(longestSentence, n-shortest))
		}
		sentence := rng.Pick(r, t.capital[max(size, shortest)])
		for range shortest - size {
			sentence = sentence[:strings.LastIndexByte(sentence, ' ')]
		}
		b = append(append(b, ' '), sentence...)
		n -= size
	}
	return b
}

// appendWords appends n common words, in capitals and with a space before each.
func appendWords(b []byte, n int, r *rng.Rand) []byte {
	for range n {
		words := lexicon.Common(r.Between(lexicon.MinLetters, 9))
		b = append(b, ' ')
		for _, c := range []byte(words.At(r.Between(0, words.Len()-1))) {
			b = append(b, c-'a'+'A')
		}
	}
	return b
}
