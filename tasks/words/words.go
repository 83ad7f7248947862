package words

import (
	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task/rng"
)

// drawWord draws a common word of low to high letters, each length equally likely.
func drawWord(low, high int, r *rng.Rand) string {
	words := lexicon.Common(r.Between(max(low, lexicon.MinLetters), min(high, lexicon.MaxLetters)))
	return words.At(r.Between(0, words.Len()-1))
}

// capitalized returns a word of a to z with its first letter in upper case.
func capitalized(word string) string {
	return string(word[0]-'a'+'A') + word[1:]
}
