// Package rng makes the random numbers that problems are built from.
//
// A path, a seed and an index name a stream. Its bytes are ChaCha8 (C2SP chacha8rand),
// keyed by the SHA-256 of the path, XORed with the seed and the index. A name gives the
// same numbers on every machine and Go version, and streams with different names are
// unrelated.
package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// A Rand is a stream of random numbers. Only one goroutine may use it at a time.
type Rand struct{ src rand.ChaCha8 }

// New returns the stream named by seed and path.
func New(seed uint64, path ...string) *Rand {
	return Named(path...).Stream(seed, 0)
}

// A Name is the path of many streams, hashed once. It may be kept and copied.
type Name [sha256.Size]byte

// Named returns the name of the streams below path.
func Named(path ...string) Name {
	text := make([]byte, 0, 256)
	for _, part := range path {
		text = binary.LittleEndian.AppendUint64(text, uint64(len(part)))
		text = append(text, part...)
	}
	return sha256.Sum256(text)
}

// Stream returns the stream of a seed and an index. Each is XORed into a quarter of the
// key; ChaCha8 gives unrelated streams for any two keys.
func (n Name) Stream(seed uint64, index int) *Rand {
	r := new(Rand)
	n.Restart(r, seed, index)
	return r
}

// Restart turns r into the stream that [Name.Stream] returns, without allocating, for
// callers that need many streams in turn.
func (n Name) Restart(r *Rand, seed uint64, index int) {
	key := [sha256.Size]byte(n)
	mix(key[:8], seed)
	mix(key[8:16], uint64(index))
	r.src.Seed(key)
}

// mix XORs v into eight bytes of a key.
func mix(key []byte, v uint64) {
	binary.LittleEndian.PutUint64(key, binary.LittleEndian.Uint64(key)^v)
}

// Uint64 returns 64 random bits.
func (r *Rand) Uint64() uint64 { return r.src.Uint64() }

// Between returns an integer from lo to hi inclusive, each equally likely. It panics if
// lo > hi.
func (r *Rand) Between(lo, hi int) int { return int(r.Between64(int64(lo), int64(hi))) }

// Between64 is [Rand.Between] for numbers that may not fit in an int. Both return the same
// numbers. The multiplication method of Lemire, "Fast Random Integer Generation in an
// Interval" (2019), keeps them free of bias.
func (r *Rand) Between64(lo, hi int64) int64 {
	if lo > hi {
		panic("rng: Between: lo > hi")
	}
	n := uint64(hi) - uint64(lo) + 1
	if n == 0 { // all 64-bit numbers
		return int64(r.src.Uint64())
	}
	above, below := bits.Mul64(r.src.Uint64(), n)
	if below < n {
		for floor := -n % n; below < floor; {
			above, below = bits.Mul64(r.src.Uint64(), n)
		}
	}
	return int64(uint64(lo) + above)
}

// Float returns a number in [0, 1) with 53 random bits.
func (r *Rand) Float() float64 { return float64(r.src.Uint64()>>11) / (1 << 53) }

// Chance reports true with probability p.
func (r *Rand) Chance(p float64) bool { return r.Float() < p }

// Pick returns one element of s, each equally likely. It panics if s is empty.
func Pick[T any](r *Rand, s []T) T { return s[r.Between(0, len(s)-1)] }

// Shuffle puts s into a random order, in place.
func Shuffle[T any](r *Rand, s []T) {
	for i := len(s) - 1; i > 0; i-- {
		j := r.Between(0, i)
		s[i], s[j] = s[j], s[i]
	}
}

// Sample returns n distinct elements of s in random order and leaves s unchanged. It panics
// if s has fewer than n.
func Sample[T any](r *Rand, s []T, n int) []T {
	if n > len(s) {
		panic("rng: Sample: n > len(s)")
	}
	pool := append([]T(nil), s...)
	ToFront(r, pool, n)
	return pool[:n:n]
}

// ToFront is Sample in place: it moves n elements of s to its front, in random order.
func ToFront[T any](r *Rand, s []T, n int) {
	for i := range n {
		j := r.Between(i, len(s)-1)
		s[i], s[j] = s[j], s[i]
	}
}

// Different returns n different numbers from lo to hi in random order, by Floyd's algorithm
// (Bentley and Floyd, "A Sample of Brilliance", 1987). Its cost grows with the square of n.
// The range must have at least n numbers.
func Different(r *Rand, n int, lo, hi int64) []int64 {
	numbers := make([]int64, 0, n)
	for top := hi - int64(n) + 1; top <= hi; top++ {
		number := r.Between64(lo, top)
		if slices.Contains(numbers, number) {
			number = top
		}
		numbers = append(numbers, number)
	}
	Shuffle(r, numbers)
	return numbers
}
