package atropos

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/quintain-rl/quintain"
)

// A memory is reused for the groups of one request after another.
type memory struct {
	reserve func(bytes int) error // asked before memory is taken; nil: no limit
	fault   error                 // of reserve

	tokens    arena[quintain.Token]
	ints      arena[int32]
	floats    arena[float64]
	tokenRows arena[[]quintain.Token]
	intRows   arena[[]int32]
	floatRows arena[[]float64]
	records   arena[json.RawMessage]
}

const (
	keptBytes = 4 << 20 // of the largest block kept for the next request
	freeBytes = 1 << 20 // up to this size, a block is twice as large as the last

	copiedAtOnce = 64 << 10 // elements: the scheduler cannot interrupt a copy
)

// reset frees the memory for the next request, and returns its size in bytes.
func (m *memory) reset() int {
	m.fault = nil
	return m.tokens.reset() + m.ints.reset() + m.floats.reset() +
		m.tokenRows.reset() + m.intRows.reset() + m.floatRows.reset() + m.records.reset()
}

// take reports whether this many bytes may be taken.
func (m *memory) take(bytes int) bool {
	if m.reserve == nil || m.fault != nil {
		return m.fault == nil
	}
	m.fault = m.reserve(bytes)
	return m.fault == nil
}

// The arenas for rows, and for lists of rows. If m is nil, they are nil, and each row gets
// its own memory.

func (m *memory) tokenArena() *arena[quintain.Token] {
	if m == nil {
		return nil
	}
	return m.tokens.in(m)
}

func (m *memory) intArena() *arena[int32] {
	if m == nil {
		return nil
	}
	return m.ints.in(m)
}

func (m *memory) floatArena() *arena[float64] {
	if m == nil {
		return nil
	}
	return m.floats.in(m)
}

func (m *memory) tokenLists() *arena[[]quintain.Token] {
	if m == nil {
		return nil
	}
	return m.tokenRows.in(m)
}

func (m *memory) intLists() *arena[[]int32] {
	if m == nil {
		return nil
	}
	return m.intRows.in(m)
}

func (m *memory) floatLists() *arena[[]float64] {
	if m == nil {
		return nil
	}
	return m.floatRows.in(m)
}

func (m *memory) recordLists() *arena[json.RawMessage] {
	if m == nil {
		return nil
	}
	return m.records.in(m)
}

// An arena is memory for rows of unknown length. A nil arena gives each row its own memory.
type arena[T any] struct {
	used []T // of the last block
	mem  *memory
}

// in returns the arena as a part of m.
func (a *arena[T]) in(m *memory) *arena[T] {
	a.mem = m
	return a
}

// begin returns an empty row with the given room, or for fewer if the memory is refused.
// The caller may fill it up to its capacity, and must pass it to more or to end, or discard
// it, before the next call.
func (a *arena[T]) begin(room int) []T {
	if a == nil {
		return make([]T, 0, room)
	}
	if cap(a.used)-len(a.used) < room {
		a.block(room)
	}
	n := len(a.used)
	return a.used[n:n:cap(a.used)]
}

// more returns row, which is full, with more room; false: the memory was refused.
func (a *arena[T]) more(row []T) ([]T, bool) {
	if a == nil {
		return slices.Grow(row, len(row)+minRowRoom), true
	}
	if !a.block(2*len(row) + minRowRoom) {
		return row, false
	}
	larger := a.used[:0:cap(a.used)]
	for piece := range slices.Chunk(row, copiedAtOnce) {
		larger = append(larger, piece...)
	}
	return larger, true
}

// block begins a block with the given room. Earlier rows keep theirs.
func (a *arena[T]) block(room int) bool {
	size := int(reflect.TypeFor[T]().Size())
	room = max(room, min(2*cap(a.used), freeBytes/size))
	if !a.mem.take(room * size) {
		return false
	}
	a.used = make([]T, 0, room)
	return true
}

// end finishes the row from begin or more; no other row will share its memory.
func (a *arena[T]) end(row []T) []T {
	if a != nil {
		a.used = a.used[:len(a.used)+len(row)]
	}
	return row[:len(row):len(row)]
}

// reset frees the memory, and forgets a block that is too large to keep. It returns the
// bytes kept.
func (a *arena[T]) reset() int {
	size := int(reflect.TypeFor[T]().Size())
	if size*cap(a.used) > keptBytes {
		a.used = nil
	}
	if size > 8 { // rows, which refer to other memory
		clear(a.used[:cap(a.used)])
	}
	a.used = a.used[:0]
	return size * cap(a.used)
}
