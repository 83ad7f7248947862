package rollout

import "github.com/quintain-rl/quintain"

// A Memory holds the tokens of one group, 20 bytes for each token of each sequence; making
// the next group in it invalidates the rows. It saves allocation and collection, and keeps
// room for up to a million tokens. The zero Memory is ready. Only one goroutine may use it
// at a time.
type Memory struct {
	tokens   []quintain.Token
	masks    []int32
	logProbs []float64
	versions []int32
}

// mostKept is the number of tokens that a memory keeps room for.
const mostKept = 1 << 20

// room returns memory for the given number of tokens.
func (m *Memory) room(tokens int) Memory {
	if tokens > mostKept {
		m = &Memory{}
	}
	if tokens > cap(m.tokens) {
		*m = Memory{make([]quintain.Token, tokens), make([]int32, tokens), make([]float64, tokens), make([]int32, tokens)}
	}
	return Memory{m.tokens[:tokens], m.masks[:tokens], m.logProbs[:tokens], m.versions[:tokens]}
}

// row cuts an empty row with room for n off left.
func row[E any](left *[]E, n int) []E {
	r := (*left)[:0:n]
	*left = (*left)[n:]
	return r
}
