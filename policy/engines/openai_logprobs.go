package engines

import (
	"math"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/remote"
)

// list returns the log-probabilities of all entries.
func (l *logProbs) list() ([]float32, *remote.Error) {
	probs := make([]float32, len(l.Content))
	for i, e := range l.Content {
		p, err := policy.LogProb(e.LogProb)
		if err != nil {
			return nil, remote.Nonsensef("log-probability of token %d %w", i, err)
		}
		probs[i] = p
	}
	return probs, nil
}

// named returns the tokens of entries with texts of the form "token_id:7", vLLM's with
// return_tokens_as_token_ids; else nil.
func (l *logProbs) named() []quintain.Token {
	if l == nil || l.Content == nil {
		return nil
	}
	tokens := make([]quintain.Token, 0, len(l.Content))
	for _, e := range l.Content {
		digits, ok := strings.CutPrefix(e.Token, "token_id:")
		id, err := strconv.ParseInt(digits, 10, 32)
		if !ok || err != nil {
			return nil
		}
		tokens = append(tokens, quintain.Token(id))
	}
	return tokens
}

// special is the number of server tokens that may follow the text: the end of the turn and
// one more.
const special = 2

// spread puts the log-probability of each entry on the first of its bytes in text and zero
// on the others. An entry without bytes, such as the first half of a character, adds its
// log-probability to the next. spread returns nil if the entries do not spell text, apart
// from special tokens at the end.
func spread(entries []entry, probs []float32, text string) []float32 {
	spread := make([]float32, len(text))
	at, after := 0, 0
	var carried float32
	for i, e := range entries {
		piece := e.Token
		if e.Bytes != nil {
			piece = string(e.Bytes)
		}
		switch {
		case at == len(text):
			after++
		case !strings.HasPrefix(text[at:], piece):
			return nil
		case piece == "":
			carried += probs[i]
		default:
			spread[at] = max(-math.MaxFloat32, carried+probs[i])
			at += len(piece)
			carried = 0
		}
	}
	if at < len(text) || after > special {
		return nil
	}
	return spread
}
