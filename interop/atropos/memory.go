package atropos

import "github.com/quintain-rl/quintain"

// A memory is reused for the groups of one request after another.
type memory struct {
	tokens arena[quintain.Token]
	ints   arena[int32]
	floats arena[float64]
}

// maxKept is the largest number of elements for which memory is kept for the next
// request.
const maxKept = 4 << 20

func (m *memory) reset() {
	m.tokens.reset()
	m.ints.reset()
	m.floats.reset()
}

// tokenArena, intArena and floatArena return the arenas for rows. If m is nil, they
// return nil, and each row gets its own memory.
func (m *memory) tokenArena() *arena[quintain.Token] {
	if m == nil {
		return nil
	}
	return &m.tokens
}

func (m *memory) intArena() *arena[int32] {
	if m == nil {
		return nil
	}
	return &m.ints
}

func (m *memory) floatArena() *arena[float64] {
	if m == nil {
		return nil
	}
	return &m.floats
}

// An arena is memory for rows whose lengths are not known in advance. A nil arena gives
// each row its own memory.
type arena[T any] struct{ used []T }

// begin returns an empty row with a capacity of at least room. The caller may append to
// it, and then passes it to end or discards it before the next call.
func (a *arena[T]) begin(room int) []T {
	if a == nil {
		return make([]T, 0, room)
	}
	if n := len(a.used); cap(a.used)-n < room {
		a.used = make([]T, 0, max(room, 2*cap(a.used)))
	}
	n := len(a.used)
	return a.used[n:n:cap(a.used)]
}

// end finishes the row from begin; no other row will share its memory.
func (a *arena[T]) end(row []T) []T {
	if a == nil || len(row) == 0 {
		return row
	}
	n := len(a.used)
	if n < cap(a.used) && &a.used[:n+1][n] == &row[0] { // the row has not outgrown the arena
		a.used = a.used[:n+len(row)]
	} else {
		a.used = make([]T, 0, 2*max(cap(a.used), len(row)))
	}
	return row[:len(row):len(row)]
}

func (a *arena[T]) reset() {
	a.used = a.used[:0]
	if cap(a.used) > maxKept {
		a.used = nil
	}
}
