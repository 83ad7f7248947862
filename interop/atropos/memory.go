package atropos

import "github.com/quintain-rl/quintain"

// A memory is where groups are read to, one request after another.
type memory struct {
	tokens arena[quintain.Token]
	ints   arena[int32]
	floats arena[float64]
}

// maxKept is the number of elements up to which memory is kept for the next request.
const maxKept = 4 << 20

func (m *memory) reset() {
	m.tokens.reset()
	m.ints.reset()
	m.floats.reset()
}

// tokenArena, intArena and floatArena return what rows are read to; nil, memory of their
// own, if m is.
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

// An arena is memory for rows whose lengths show only as they are read. A nil one
// gives each row memory of its own.
type arena[T any] struct{ used []T }

// begin returns an empty row with room for some elements at least. Before the next
// call it goes to end, however it has grown, or is forgotten.
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

// end returns the row that begin began; its memory goes into no other row.
func (a *arena[T]) end(row []T) []T {
	if a == nil || len(row) == 0 {
		return row
	}
	n := len(a.used)
	if n < cap(a.used) && &a.used[:n+1][n] == &row[0] { // it has not outgrown the arena
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
