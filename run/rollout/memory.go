package rollout

import (
	"runtime"

	"github.com/quintain-rl/quintain"
)

// A Memory holds the tokens of one group, 28 bytes for each token of each sequence; making
// the next group in it invalidates the rows. It saves allocation and collection, and keeps
// room for up to a million tokens. The zero Memory is ready. Only one goroutine may use it
// at a time.
type Memory struct {
	tokens   []quintain.Token
	masks    []int32
	logProbs []float64
	versions []int32

	advantages []float64
}

// mostKept is the number of tokens that a memory keeps room for.
const mostKept = 1 << 20

// room returns memory for the given number of tokens; of none, it is new.
func (m *Memory) room(tokens int) Memory {
	if m == nil || tokens > mostKept {
		m = &Memory{}
	}
	if tokens > cap(m.tokens) {
		*m = Memory{make([]quintain.Token, tokens), make([]int32, tokens), make([]float64, tokens), make([]int32, tokens), make([]float64, tokens)}
	}
	return Memory{m.tokens[:tokens], m.masks[:tokens], m.logProbs[:tokens], m.versions[:tokens], m.advantages[:tokens]}
}

// row cuts an empty row with room for n off left.
func row[E any](left *[]E, n int) []E {
	r := (*left)[:0:n]
	*left = (*left)[n:]
	return r
}

// Bounds on the groups that are made at once.
const (
	smallGroup  = 32 << 10 // tokens of a small group
	smallGroups = 64
)

// Memories bound the groups that are made at once, because each takes many times the memory
// of its replies: 64 small ones, whose stores take many together, and fewer large ones. Many
// goroutines may use them at once.
type Memories struct{ small, large chan *Memory }

// NewMemories returns empty memories.
func NewMemories() *Memories {
	return &Memories{newMemories(smallGroups), newMemories(max(8, 4*runtime.GOMAXPROCS(0)))}
}

func newMemories(n int) chan *Memory {
	all := make(chan *Memory, n)
	for range n {
		all <- &Memory{}
	}
	return all
}

// Take waits for a free memory for the group of episodes. The caller gives it back by give,
// once it needs neither.
func (m *Memories) Take(played []quintain.Trajectory) (free *Memory, give func()) {
	tokens := 0
	for i := range played {
		for k := range played[i].Turns {
			tokens += len(played[i].Turns[k].Read) + len(played[i].Turns[k].Wrote)
		}
	}
	if tokens > smallGroup {
		free = <-m.large
		return free, func() { m.large <- free }
	}
	free = <-m.small
	return free, func() {
		if cap(free.tokens) > smallGroup { // its turns were read more than once
			free = &Memory{}
		}
		m.small <- free
	}
}
