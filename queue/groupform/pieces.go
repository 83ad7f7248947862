package groupform

import (
	"hash/crc32"
	"slices"
)

// atOnce is how many elements are copied, summed or packed at once: the scheduler cannot
// interrupt that, and all goroutines wait while it wants to stop them, as the garbage collector
// does.
const atOnce = 256 << 10

// grow is [slices.Grow] in pieces.
func grow[E byte | float64](b []E, n int) []E {
	if len(b)+n <= max(cap(b), atOnce) {
		return slices.Grow(b, n)
	}
	return appendAll(make([]E, 0, max(len(b)+n, cap(b)/4*5)), b) // make clears in pieces
}

// appendAll is append in pieces.
func appendAll[E byte | float64](b, v []E) []E {
	if len(v) <= atOnce && len(b)+len(v) <= max(cap(b), atOnce) {
		return append(b, v...)
	}
	b = grow(b, len(v))
	for piece := range slices.Chunk(v, atOnce) {
		b = append(b, piece...)
	}
	return b
}

// sumOf is the CRC-32C of bytes.
func sumOf(b []byte) (sum uint32) {
	for piece := range slices.Chunk(b, atOnce) {
		sum = crc32.Update(sum, castagnoli(), piece)
	}
	return sum
}

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }
