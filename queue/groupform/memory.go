package groupform

import "github.com/quintain-rl/quintain"

// A scratch is reusable memory for decoded groups.
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

// An arena is reusable memory.
type arena[T any] struct{ used []T }

// take returns n elements with arbitrary content.
func (a *arena[T]) take(n int) []T {
	if cap(a.used)-len(a.used) < n {
		a.used = make([]T, 0, max(n, 2*cap(a.used)))
	}
	at := len(a.used)
	a.used = a.used[:at+n]
	return a.used[at : at+n : at+n]
}

func (a *arena[T]) reset() { a.used = a.used[:0] }

// size is the size of the memory in bytes.
func (s *scratch) size() int {
	return cap(s.fields) + 4*cap(s.tokens.used) + 4*cap(s.ints.used) + 8*cap(s.floats.used) + 16*cap(s.spans)
}

// take reserves n elements of size bytes each, and reports whether they are within the
// limit.
func (r *reader) take(n, size int) bool {
	r.taken += n * size
	if r.most > 0 && r.taken > r.most {
		r.vast = true
		r.fail("envelope", "takes more than %d bytes of memory", r.most)
	}
	return r.err == nil
}

// ints returns a row of n numbers with arbitrary content; nil after an error.
func (r *reader) ints(n int) []int32 {
	switch {
	case !r.take(n, 4):
		return nil
	case r.mem == nil:
		return make([]int32, n)
	}
	return r.mem.ints.take(n)
}

// tokensOf returns a row of n tokens with arbitrary content; nil after an error.
func (r *reader) tokensOf(n int) []quintain.Token {
	switch {
	case !r.take(n, 4):
		return nil
	case r.mem == nil:
		return make([]quintain.Token, n)
	}
	return r.mem.tokens.take(n)
}

// numbers returns a row of n floats with arbitrary content; nil after an error.
func (r *reader) numbers(n int) []float64 {
	switch {
	case !r.take(n, 8):
		return nil
	case r.mem == nil:
		return make([]float64, n)
	}
	return r.mem.floats.take(n)
}

// list returns n empty rows; nil after an error.
func list[T any](r *reader, n int) []T {
	if !r.take(n, 24) {
		return nil
	}
	return make([]T, n)
}

// MemoryOf is about how many bytes of memory a group takes.
func MemoryOf(g *quintain.Group) int {
	n := 4*sizeOf(g.Tokens) + 4*sizeOf(g.Masks) + 4*sizeOf(g.Versions) + 8*sizeOf(g.Advantages) + 8*sizeOf(g.RefLogProbs) + 8*sizeOf(g.LogProbs) +
		len(g.Messages) + len(g.Generation) + len(g.GroupOverrides) + len(g.Images) + sizeOf(g.Overrides)
	for i := range g.DistillTokens {
		n += 4 * sizeOf(g.DistillTokens[i])
	}
	for i := range g.DistillLogProbs {
		n += 8 * sizeOf(g.DistillLogProbs[i])
	}
	return n
}

// sizeOf counts the elements of rows, plus an overhead for each row.
func sizeOf[Row ~[]E, E any](rows []Row) int {
	n := 0
	for _, row := range rows {
		n += 6 + len(row)
	}
	return n
}
