package queue

import (
	"maps"
	"time"
)

// A Kind is a class of waiting groups: those of one environment and one size that are held,
// or are not.
type Kind struct {
	EnvID     int32 // -1: none
	Sequences int
	Held      bool
}

// tallyKind counts a group in, or out if sign is -1.
func (x *index) tallyKind(k Kind, sign int) {
	if x.kinds == nil {
		x.kinds = make(map[Kind]int)
	}
	x.turn++
	if x.kinds[k] += sign; x.kinds[k] == 0 {
		delete(x.kinds, k)
	}
}

// Kinds returns how many groups of each kind wait, and a turn, which changes whenever
// that does. Asking again is cheap: if turn is still the current one, kinds is nil. The
// cost grows with the number of kinds, not with how much waits.
func (b *books) Kinds(turn uint64) (kinds map[Kind]int, now uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire(time.Now())
	if turn == b.waiting.turn {
		return nil, turn
	}
	if kinds = maps.Clone(b.waiting.kinds); kinds == nil {
		kinds = map[Kind]int{}
	}
	return kinds, b.waiting.turn
}

// Waiting returns how much waits, at a constant cost.
func (b *books) Waiting() Count {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire(time.Now())
	return b.waiting.count
}
