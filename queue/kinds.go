package queue

import (
	"maps"
	"time"
)

// A Kind is what groups that wait are told apart by where only their numbers count.
type Kind struct {
	EnvID     int32 // -1: none
	Sequences int
}

// tallyKind counts a group in, or out where sign is -1.
func (x *index) tallyKind(k Kind, sign int) {
	if x.kinds == nil {
		x.kinds = make(map[Kind]int)
	}
	x.turn++
	if x.kinds[k] += sign; x.kinds[k] == 0 {
		delete(x.kinds, k)
	}
}

// Kinds returns how many groups of each kind wait, and a number that is another
// whenever that has changed. It is cheap to ask again: where that number is still
// the caller's, kinds is nil. The cost does not grow with what waits, but with the
// number of kinds.
func (q *Queue) Kinds(turn uint64) (kinds map[Kind]int, now uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	if turn == q.waiting.turn {
		return nil, turn
	}
	if kinds = maps.Clone(q.waiting.kinds); kinds == nil {
		kinds = map[Kind]int{}
	}
	return kinds, q.waiting.turn
}

// Waiting returns how much waits. Its cost does not grow with that.
func (q *Queue) Waiting() Count {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	return q.waiting.count
}
