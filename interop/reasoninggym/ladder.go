package reasoninggym

import (
	"strings"

	"github.com/quintain-rl/quintain/internal/lexicon"
	"github.com/quintain-rl/quintain/task/answer"
)

// ladder takes words that differ in one letter each, and halves the score for each that is
// not in reasoning-gym's list.
func ladder(of *item, got string) float64 {
	var m struct {
		Start string `json:"start_word"`
		End   string `json:"end_word"`
	}
	if !of.read(&m) {
		return 0
	}
	words := strings.Split(pyUpper(got), ",")
	for i := range words {
		words[i] = answer.Trim(words[i])
	}
	if len(words) < 2 || words[0] != m.Start || words[len(words)-1] != m.End {
		return 0
	}
	score := 1.0
	for i, word := range words {
		if runes(word) != runes(m.End) || i > 0 && differences(word, words[i-1]) != 1 {
			return 0
		}
		if _, known := lexicon.Ladders(len(word)).Find(pyLower(word)); !known {
			score /= 2
		}
	}
	return score
}

// differences counts the places in which two words of one length differ.
func differences(a, b string) (n int) {
	other := []rune(b)
	for i, r := range []rune(a) {
		n += int(part(r != other[i], 1))
	}
	return n
}
