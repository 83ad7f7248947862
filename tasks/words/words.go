package words

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task/rng"
)

// checkLetters refuses settings min_NAME and max_NAME, numbers of letters, that leave no
// words to draw.
func checkLetters(name string, low, high int) error {
	switch {
	case low < 1 || low > lexicon.MaxLetters:
		return fmt.Errorf("min_%s is %d, want 1 to %d", name, low, lexicon.MaxLetters)
	case high < low || high < lexicon.MinLetters:
		return fmt.Errorf("max_%s is %d, want min_%s (%d) or more, and at least %d", name, high, name, low, lexicon.MinLetters)
	}
	return nil
}

// drawWord draws a common word of low to high letters, each length equally likely; see
// [checkLetters].
func drawWord(low, high int, r *rng.Rand) string {
	words := lexicon.Common(r.Between(max(low, lexicon.MinLetters), min(high, lexicon.MaxLetters)))
	return words.At(r.Between(0, words.Len()-1))
}

// capitalized returns a word of a to z with its first letter in upper case.
func capitalized(word string) string {
	return string(word[0]-'a'+'A') + word[1:]
}
