package words

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// letterJumble asks for words with their letters mixed up.
var letterJumble = task.Spec[letterJumbleParams, letterJumbleItem]{
	Name:     "letter_jumble",
	Category: "algorithmic",
	Doc: "Restore words with mixed-up letters. A word with an anagram in a large dictionary stays whole, so that there is one answer, " +
		"and at least half of the words are mixed up. Half of the texts come from sentences, half are random words.",
	Source:  "Sentences and words of package lexicon; the settings are those of reasoning-gym.",
	Version: 4,
	Default: letterJumbleParams{
		MinWordLen: 1, MaxWordLen: 64, MinWords: 3, MaxWords: 20, MinCorruptionLevel: 0.1, MaxCorruptionLevel: 0.9, ConsecutiveWords: true,
	},
	Levels: []letterJumbleParams{
		{MinWordLen: 1, MaxWordLen: 5, MinWords: 2, MaxWords: 3, MinCorruptionLevel: 0.1, MaxCorruptionLevel: 0.5, ConsecutiveWords: true},
		{MinWordLen: 1, MaxWordLen: 7, MinWords: 4, MaxWords: 6, MinCorruptionLevel: 0.2, MaxCorruptionLevel: 0.6, ConsecutiveWords: true},
		{MinWordLen: 1, MaxWordLen: 64, MinWords: 8, MaxWords: 12, MinCorruptionLevel: 0.4, MaxCorruptionLevel: 0.8, ConsecutiveWords: true},
		{MinWordLen: 4, MaxWordLen: 64, MinWords: 15, MaxWords: 25, MinCorruptionLevel: 0.6, MaxCorruptionLevel: 0.9, ConsecutiveWords: true},
		{MinWordLen: 6, MaxWordLen: 64, MinWords: 20, MaxWords: 30, MinCorruptionLevel: 0.8, MaxCorruptionLevel: 1},
		{MinWordLen: 9, MaxWordLen: 64, MinWords: 40, MaxWords: 60, MinCorruptionLevel: 1, MaxCorruptionLevel: 1},
	},
	Make: makeLetterJumble,
	Ask: []string{
		"The letters within some words of this text have changed places. Put them back in order:\n\n{scrambled_words: }",
		"Unscramble the following words:\n\n{scrambled_words: }",
		"What did this text say before the letters within its words were mixed up?\n\n{scrambled_words: }",
		"A careless typesetter dropped some words and put their letters back in any order. Repair the text:\n\n{scrambled_words: }",
		"Some of these words are scrambled. Which words were they?\n\n{scrambled_words: }",
		"Read the following words, whose letters may stand in the wrong order, and write them as they should be:\n\n{scrambled_words: }",
	},
	Form: "\n\nThe words are in the right order, and those that are English words already are right. " +
		`Answer with all the words, with a space between them, for example "the green house" for "eht grene house", without quotation marks.`,
	Short: "unscramble {scrambled_words: }",
}

// letterJumbleParams are the settings of one difficulty.
type letterJumbleParams struct {
	MinWordLen         int     `json:"min_word_len" want:"1 to 15"` // letters of a word
	MaxWordLen         int     `json:"max_word_len" want:"min_word_len or more and at least 3"`
	MinWords           int     `json:"min_words" want:"1 to 1000"`
	MaxWords           int     `json:"max_words" want:"min_words to 1000"`
	MinCorruptionLevel float64 `json:"min_corruption_level" want:"0 to 1"` // share of moved letters in a mixed-up word; at least two
	MaxCorruptionLevel float64 `json:"max_corruption_level" want:"min_corruption_level to 1"`
	ConsecutiveWords   bool    `json:"consecutive_words"` // half of the texts are consecutive words from sentences
}

// letterJumbleItem is one text.
type letterJumbleItem struct {
	NumWords        int      `json:"num_words"`
	CorruptionLevel float64  `json:"corruption_level"` // 0 to 1
	ScrambledWords  []string `json:"scrambled_words" want:"original_words"`
	OriginalWords   []string `json:"original_words" want:"1 or more"`
	Phrasing        int      `json:"phrasing,omitempty"`
}

// makeLetterJumble draws the text and mixes up its words.
func makeLetterJumble(p letterJumbleParams, r *rng.Rand) (letterJumbleItem, error) {
	item := letterJumbleItem{
		NumWords:        r.Between(p.MinWords, p.MaxWords),
		CorruptionLevel: p.MinCorruptionLevel + float64(r.Float()*(p.MaxCorruptionLevel-p.MinCorruptionLevel)), // not fused, since some machines would then round once
		Phrasing:        r.Between(0, 5),
	}
	if p.ConsecutiveWords && r.Chance(0.5) {
		item.OriginalWords = wordsInARow(item.NumWords, p, r)
		item.scramble(mixable(), r)
	}
	if 2*item.unchanged() < item.NumWords && item.ScrambledWords != nil {
		return item, nil
	}
	item.OriginalWords = make([]string, item.NumWords)
	for i := range item.OriginalWords {
		item.OriginalWords[i] = drawLoneWord(p, r)
	}
	item.scramble(nil, r)
	return item, nil
}

// wordsInARow returns n consecutive words of the sentences, leaving out those that are too
// short or too long. There may be fewer.
func wordsInARow(n int, p letterJumbleParams, r *rng.Rand) []string {
	text, words := prose().words, make([]string, 0, n)
	start := r.Between(0, len(text)-1)
	for k := range text {
		word := text[(start+k)%len(text)]
		if len(word) < p.MinWordLen || len(word) > p.MaxWordLen {
			continue
		}
		if words = append(words, word); len(words) == n {
			break
		}
	}
	return words
}

// drawLoneWord draws a common word without an anagram.
func drawLoneWord(p letterJumbleParams, r *rng.Rand) string {
	const tries = 40
	word := ""
	for range tries {
		if word = drawWord(p.MinWordLen, p.MaxWordLen, r); alone(word) {
			break
		}
	}
	return word
}

// alone reports whether no other known word has the same letters.
func alone(word string) bool {
	_, found := slices.BinarySearch(lonely(), lettersHash(word))
	return found
}

// lonely are the hashes of the letters of words without anagrams, in order.
var lonely = sync.OnceValue(func() []uint64 {
	var all []uint64
	for letters := lexicon.MinLetters; letters <= lexicon.MaxLetters; letters++ {
		words := lexicon.Known(letters)
		for i := range words.Len() {
			all = append(all, lettersHash(words.At(i)))
		}
	}
	slices.Sort(all)
	once := all[:0]
	for len(all) > 0 {
		same := 1
		for same < len(all) && all[same] == all[0] {
			same++
		}
		if same == 1 {
			once = append(once, all[0])
		}
		all = all[same:]
	}
	return slices.Clone(once)
})

// mixable are the sentences' words that are common words, in the sentences' spelling. The
// others stay as they are.
var mixable = sync.OnceValue(func() map[string]bool {
	found := map[string]bool{}
	for _, word := range prose().words {
		if _, common := lexicon.Common(len(word)).Find(strings.ToLower(word)); common {
			found[word] = alone(strings.ToLower(word))
		}
	}
	return found
})

// scramble mixes up the original words in some, or all of them if that is nil, except for
// those with an anagram.
func (l *letterJumbleItem) scramble(some map[string]bool, r *rng.Rand) {
	l.ScrambledWords = slices.Clone(l.OriginalWords)
	for i, word := range l.OriginalWords {
		if some[word] || some == nil && alone(word) {
			l.ScrambledWords[i] = jumbled(word, l.CorruptionLevel, r)
		}
	}
	l.NumWords = len(l.OriginalWords)
}

// jumbled moves the given share of the letters of a word, at least two. It leaves the word
// unchanged if several tries give the same word again.
func jumbled(word string, share float64, r *rng.Rand) string {
	const tries = 8
	moved := max(2, int(math.Round(share*float64(len(word)))))
	var places [lexicon.MaxLetters]int
	for i := range places {
		places[i] = i
	}
	for range tries {
		rng.Shuffle(r, places[:len(word)])
		b := append(make([]byte, 0, lexicon.MaxLetters), word...)
		for i, at := range places[:moved] {
			b[at] = word[places[(i+1)%moved]] // around a ring, so that each of them moves
		}
		if mixed := string(b); !strings.EqualFold(mixed, word) {
			return mixed
		}
	}
	return word
}

// unchanged counts the words already right in the question, ignoring case.
func (l letterJumbleItem) unchanged() (n int) {
	for i, word := range l.ScrambledWords {
		if strings.EqualFold(word, l.OriginalWords[i]) {
			n++
		}
	}
	return n
}

// Canonical implements [task.Canonicalizer]: the words, and which of them are mixed up, in
// any way.
func (l letterJumbleItem) Canonical() string {
	words := slices.Clone(l.OriginalWords)
	for i, word := range words {
		if word != l.ScrambledWords[i] {
			words[i] = "~" + word
		}
	}
	return strings.Join(words, " ")
}

// Check refuses a record unless each word has the same letters twice.
func (l letterJumbleItem) Check() error {
	for i, word := range l.OriginalWords {
		if sortedLetters(word) != sortedLetters(l.ScrambledWords[i]) {
			return fmt.Errorf("scrambled_words has %q for %q", l.ScrambledWords[i], word)
		}
	}
	return nil
}

func (l letterJumbleItem) Solve() string { return strings.Join(l.OriginalWords, " ") }

// Score implements [task.Scorer]. It ignores case, and space between words. Any known
// word with the letters of a mixed-up one is right; entries of reasoning-gym may have
// several. Words in their places earn their share, except those already right in the
// question: each of these that is spoiled takes one away, and so does each word too many.
func (l letterJumbleItem) Score(text string) quintain.Verdict {
	got, want := answer.Fields(strings.ToLower(text)), answer.Fields(strings.ToLower(l.Solve()))
	if len(got) == 0 {
		return quintain.Malformed("the answer is empty")
	}
	if fault := beside(got, want); fault != "" {
		return quintain.Malformed(fault)
	}
	for i := range min(len(got), len(want)) {
		if mixed := l.ScrambledWords[i] != l.OriginalWords[i]; mixed && !strings.EqualFold(got[i], l.ScrambledWords[i]) && sameLetters(got[i], want[i]) && isKnown(got[i]) {
			got[i] = want[i]
		}
	}
	same, all, given := samePlaces(got, want), max(len(got), len(want)), l.unchanged()
	if same == all {
		return quintain.Right()
	}
	reason := fmt.Sprintf("%d of %d words are right", same, all)
	if same <= given {
		return quintain.Wrong(reason)
	}
	return quintain.Partial(float64(same-given)/float64(all-given), reason)
}

// sameLetters reports whether a and b are anagrams of each other, or equal.
func sameLetters(a, b string) bool { return len(a) == len(b) && sortedLetters(a) == sortedLetters(b) }

// isKnown reports whether a large dictionary has the word.
func isKnown(word string) bool {
	_, found := lexicon.Known(len(word)).Find(word)
	return found
}
