package queue

import (
	"maps"
	"time"
)

// A Kind is a class of waiting groups: of one environment and size, held or not.
type Kind struct {
	EnvID     int32 // -1: none
	Sequences int
	Held      bool
}

// tallyKind counts a group in, or out if sign is -1.
func (w *waitlist) tallyKind(k Kind, sign int) {
	if w.kinds == nil {
		w.kinds = make(map[Kind]int)
	}
	w.turn++
	if w.kinds[k] += sign; w.kinds[k] == 0 {
		delete(w.kinds, k)
	}
}

// Kinds counts the waiting groups of each kind. It also returns a turn that changes with
// every change; given the current turn, it cheaply returns nil. The cost grows with the
// number of kinds, not of groups.
func (x *index) Kinds(turn uint64) (kinds map[Kind]int, now uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(time.Now())
	if turn == x.waiting.turn {
		return nil, turn
	}
	if kinds = maps.Clone(x.waiting.kinds); kinds == nil {
		kinds = map[Kind]int{}
	}
	return kinds, x.waiting.turn
}

// Waiting counts the waiting groups, at a constant cost.
func (x *index) Waiting() Count {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.expire(time.Now())
	return x.waiting.count
}
