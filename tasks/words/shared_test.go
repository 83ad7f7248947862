package words

import (
	"strings"

	"github.com/quintain-rl/quintain/task/rng"
)

// relettered draws a renaming of the small letters.
func relettered(r *rng.Rand) *strings.Replacer {
	var pairs []string
	for i, letter := range rng.Sample(r, smallLetters[:], len(smallLetters)) {
		pairs = append(pairs, string(smallLetters[i]), string(letter))
	}
	return strings.NewReplacer(pairs...)
}
