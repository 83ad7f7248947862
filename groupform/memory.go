package groupform

import "github.com/quintain-rl/quintain"

// A scratch is memory into which groups are read one after another.
type scratch struct {
	fields []byte
	tokens arena[quintain.Token]
	ints   arena[int32]
	floats arena[float64]
	spans  []span
}

// reset frees the memory for the next group.
func (s *scratch) reset() {
	s.tokens.reset()
	s.ints.reset()
	s.floats.reset()
}

// An arena is memory that is used again.
type arena[T any] struct{ used []T }

// take returns n elements of any content.
func (a *arena[T]) take(n int) []T {
	if cap(a.used)-len(a.used) < n {
		a.used = make([]T, 0, max(n, 2*cap(a.used)))
	}
	at := len(a.used)
	a.used = a.used[:at+n]
	return a.used[at : at+n : at+n]
}

func (a *arena[T]) reset() { a.used = a.used[:0] }

// ints returns a row of n numbers of any content.
func (r *reader) ints(n int) []int32 {
	if r.mem == nil {
		return make([]int32, n)
	}
	return r.mem.ints.take(n)
}

// tokensOf returns a row of n tokens of any content.
func (r *reader) tokensOf(n int) []quintain.Token {
	if r.mem == nil {
		return make([]quintain.Token, n)
	}
	return r.mem.tokens.take(n)
}

// numbers returns a row of n numbers of any content.
func (r *reader) numbers(n int) []float64 {
	if r.mem == nil {
		return make([]float64, n)
	}
	return r.mem.floats.take(n)
}
