package dialect

import (
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
)

// LogProbs returns sampled tokens with their log-probabilities, by the text of each token. It
// returns nil if either is unknown.
func LogProbs(tokens []quintain.Token, values []float32, text func(quintain.Token) string) []LogProb {
	if values == nil || text == nil {
		return nil
	}
	all := make([]LogProb, len(tokens))
	for i, t := range tokens {
		all[i] = LogProb{Token: text(t), Value: float64(values[i])}
		if !strings.ContainsRune(all[i].Token, utf8.RuneError) {
			all[i].Bytes = []byte(all[i].Token)
		}
	}
	return all
}
