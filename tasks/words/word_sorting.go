package words

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// wordSorting asks for words in code point order.
var wordSorting = task.Spec[wordSortingParams, wordSortingItem]{
	Name:     "word_sorting",
	Category: "algorithmic",
	Doc: "Sort words by the codes of their letters, capitals before small ones, ascending or descending. " +
		"About half of the words are close to another one in the dictionary, so that the first letter is not enough.",
	Source:  "Words of package lexicon, from SCOWL (its own permissive licence); the settings are those of reasoning-gym.",
	Version: 5,
	List:    ", ",
	Default: wordSortingParams{MinWords: 3, MaxWords: 10, MinWordLength: 3, MaxWordLength: 12, Transformation: originalCase},
	Levels: []wordSortingParams{
		{MinWords: 3, MaxWords: 4, MinWordLength: 3, MaxWordLength: 5, Transformation: lowerCase},
		{MinWords: 5, MaxWords: 7, MinWordLength: 3, MaxWordLength: 7, Transformation: lowerCase},
		{MinWords: 8, MaxWords: 12, MinWordLength: 3, MaxWordLength: 9, Transformation: originalCase},
		{MinWords: 15, MaxWords: 25, MinWordLength: 4, MaxWordLength: 10, Transformation: originalCase},
		{MinWords: 40, MaxWords: 60, MinWordLength: 4, MaxWordLength: 12, Transformation: randomCase},
		{MinWords: 100, MaxWords: 150, MinWordLength: 3, MaxWordLength: 15, Transformation: randomCase},
	},
	Make: makeWordSorting,
	Ask: []string{
		"Sort these words in {direction} order: {transformed_words:, }",
		"Put the following words into {direction} order: {transformed_words:, }",
		"Arrange this list of words in {direction} order: {transformed_words:, }",
		"Write these words as a list in {direction} order: {transformed_words:, }",
		"Someone sorts words in {direction} order. What becomes of these: {transformed_words:, }",
		"A program prints its input in {direction} order. Here is the input: {transformed_words:, }",
	},
	Form: "\nCompare them letter by letter, by ASCII code: all capital letters come before all small ones, and a word comes before a longer one that begins with it. " +
		"Answer with all the words, separated by a comma and a space, for example Bee, ant, cow.",
	Short: "sort {direction}: {transformed_words:, }",
}

const (
	ascending  = "ascending"
	descending = "descending"
)

// Transformations of the words before sorting.
const (
	originalCase = "original" // one word in five is capitalized
	lowerCase    = "lowercase"
	upperCase    = "uppercase"
	randomCase   = "randomcase" // of each letter
)

// wordSortingParams are the settings of one difficulty.
type wordSortingParams struct {
	MinWords       int    `json:"min_words" want:"3 to 1000"`
	MaxWords       int    `json:"max_words" want:"min_words to 1000"`
	MinWordLength  int    `json:"min_word_length" want:"1 to 15"` // letters of a word
	MaxWordLength  int    `json:"max_word_length" want:"min_word_length or more and at least 3"`
	Transformation string `json:"transformation" oneof:"original lowercase uppercase randomcase"`
}

// wordSortingItem is one list of words.
type wordSortingItem struct {
	OriginalWords    []string `json:"original_words"`                         // in the order of the question
	SortedWords      []string `json:"sorted_words" want:"1 or more"`          // the transformed words in order
	TransformedWords []string `json:"transformed_words"`                      // as in the question
	Direction        string   `json:"direction" oneof:"ascending descending"` // ascending or descending
	NumWords         int      `json:"num_words"`
	WordLength       int      `json:"word_length"` // letters of the longest
	Phrasing         int      `json:"phrasing,omitempty"`
}

// makeWordSorting draws the words. At most half of them are in place at first.
func makeWordSorting(p wordSortingParams, r *rng.Rand) (wordSortingItem, error) {
	n := r.Between(p.MinWords, p.MaxWords)
	all := make([]string, 3*n)
	drawNearWords(all[:n], p, r)
	item := wordSortingItem{
		OriginalWords: all[:n:n], TransformedWords: all[n : 2*n : 2*n], SortedWords: all[2*n:], NumWords: n,
		Direction: ascending, Phrasing: r.Between(0, 5),
	}
	rng.Shuffle(r, item.OriginalWords)
	for i, word := range item.OriginalWords {
		if p.Transformation == originalCase && r.Chance(0.2) {
			item.OriginalWords[i] = capitalized(word)
		}
		item.TransformedWords[i] = transformed(item.OriginalWords[i], p.Transformation, r)
		item.WordLength = max(item.WordLength, len(word))
	}
	if r.Chance(0.5) {
		item.Direction = descending
	}
	copy(item.SortedWords, item.TransformedWords)
	putInOrder(item.SortedWords, item.Direction)
	for range n {
		if 2*samePlaces(item.TransformedWords, item.SortedWords) <= n {
			break
		}
		for _, words := range [][]string{item.OriginalWords, item.TransformedWords} {
			copy(words, append(words[1:n:n], words[0]))
		}
	}
	return item, nil
}

// drawNearWords fills all with words. About half of them have as many letters as another,
// and are at most six places from it in the list of those words.
func drawNearWords(all []string, p wordSortingParams, r *rng.Rand) {
	const near = 6
	var words lexicon.Words
	at := 0
	for i := range all {
		if i == 0 || r.Chance(0.5) {
			words = lexicon.Common(r.Between(max(p.MinWordLength, lexicon.MinLetters), min(p.MaxWordLength, lexicon.MaxLetters)))
			at = r.Between(0, words.Len()-1)
		} else {
			at = (at + r.Between(1, near)) % words.Len()
		}
		all[i] = words.At(at)
	}
}

// transformed returns word in another case.
func transformed(word, transformation string, r *rng.Rand) string {
	switch transformation {
	case lowerCase:
		return strings.ToLower(word)
	case upperCase:
		return strings.ToUpper(word)
	case randomCase:
		b := []byte(word)
		for i := range b {
			if r.Chance(0.5) {
				b[i] -= 'a' - 'A'
			}
		}
		return string(b)
	}
	return word
}

// inOrder returns words sorted by code points, which UTF-8 sorts as bytes.
func inOrder(words []string, direction string) []string {
	sorted := slices.Clone(words)
	putInOrder(sorted, direction)
	return sorted
}

// putInOrder is inOrder in place.
func putInOrder(words []string, direction string) {
	slices.Sort(words)
	if direction == descending {
		slices.Reverse(words)
	}
}

// samePlaces counts the indexes where a and b have the same word.
func samePlaces(a, b []string) (n int) {
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			n++
		}
	}
	return n
}

// Canonical implements [task.Canonicalizer]. The order of the words does not matter, since
// the question is to sort them, nor does the direction, which turns the answer around.
func (w wordSortingItem) Canonical() string {
	return fmt.Sprintf("%q", slices.Sorted(slices.Values(w.SortedWords)))
}

// Check refuses a record with wrongly sorted words.
func (w wordSortingItem) Check() error {
	if !slices.Equal(w.SortedWords, inOrder(w.TransformedWords, w.Direction)) {
		return fmt.Errorf("sorted_words are not the transformed_words in %s order", w.Direction)
	}
	return nil
}

func (w wordSortingItem) Solve() string { return strings.Join(w.SortedWords, ", ") }

// Score implements [task.Scorer]. It ignores space around the words. Words in place earn
// their share of the longer list, if they are more than half of it.
func (w wordSortingItem) Score(text string) quintain.Verdict {
	if answer.Trim(text) == "" {
		return quintain.Malformed("the answer is empty")
	}
	got := strings.Split(text, ",")
	for i, word := range got {
		got[i] = answer.Trim(word)
	}
	if fault := beside(got, w.SortedWords); fault != "" {
		return quintain.Malformed(fault)
	}
	return placesCredit(samePlaces(got, w.SortedWords), max(len(got), len(w.SortedWords)))
}

// beside tells what stands beside the words of an answer: more words than wanted, or a space or a
// mark that none of those has.
func beside(got, want []string) string {
	if len(got) > len(want) {
		return fmt.Sprintf("there are more than %d words", len(want))
	}
	known := strings.Join(want, "")
	for _, word := range got {
		if i := strings.IndexFunc(word, func(r rune) bool { return !unicode15.IsLetter(r) && !strings.ContainsRune(known, r) }); i >= 0 {
			return fmt.Sprintf("%.20q is not a word", word)
		}
	}
	return ""
}

// placesCredit returns the verdict on a list of all words, with some in place: right if all
// are, otherwise their share, but nothing up to a half, which chance may give.
func placesCredit(same, all int) quintain.Verdict {
	reason := fmt.Sprintf("%d of %d words are in their places", same, all)
	switch {
	case same == all:
		return quintain.Right()
	case 2*same > all:
		return quintain.Partial(float64(same)/float64(all), reason)
	}
	return quintain.Wrong(reason)
}
