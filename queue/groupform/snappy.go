package groupform

import (
	"encoding/binary"
	"slices"

	"github.com/klauspost/compress/s2"
)

// appendFast appends b as a Snappy block. The elements of the blocks of its pieces are those of
// the whole.
func appendFast(dst, b []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(b)))
	for piece := range slices.Chunk(b, atOnce) {
		block := s2.EncodeSnappy(dst[len(dst):cap(dst)], piece)
		_, head := binary.Uvarint(block)
		dst = append(dst, block[head:]...) // in place, if dst has room
	}
	return dst
}

// mostPacked is the most that n bytes take as a Snappy block, while it is made.
func mostPacked(n int) int {
	return binary.MaxVarintLen64 + n + (n/atOnce+1)*(s2.MaxEncodedLen(atOnce)-atOnce)
}

// unpack appends the content of a Snappy block, given without its length, to dst, up to its
// capacity. ok is false if it is not one, or has more. [s2.Decode] is faster, but nothing can
// interrupt it.
func unpack(dst, block []byte) (b []byte, ok bool) {
	for len(block) > 0 {
		copies := block[0]&3 != 0
		n, back, head := headOf(block)
		block = block[min(head, len(block)):]
		if n <= 0 || n > cap(dst)-len(dst) {
			return dst, false
		}
		if !copies {
			if n > len(block) {
				return dst, false
			}
			dst, block = appendAll(dst, block[:n]), block[n:]
			continue
		}
		if back <= 0 || back > len(dst) {
			return dst, false
		}
		for n > 0 {
			from := dst[len(dst)-back:]
			from = from[:min(n, back)]
			dst, n = append(dst, from...), n-len(from)
		}
	}
	return dst, true
}

// headOf reads the head of an element of a Snappy block: n bytes of literal text that follow the
// head, or n bytes to copy from so far back. n is 0 if the block ends in the head.
func headOf(block []byte) (n, back, head int) {
	tag, kind := int(block[0])>>2, int(block[0])&3
	head = 1 + max(0, tag-59) // of long literal text
	if kind > 0 {
		head = 1 + 1<<(kind-1)
	}
	if len(block) < head {
		return 0, 0, head
	}
	value := 0
	for i, c := range block[1:head] {
		value |= int(c) << (8 * i)
	}
	switch {
	case kind == 0 && head == 1:
		return tag + 1, 0, head
	case kind == 0:
		return value + 1, 0, head
	case kind == 1:
		return tag&7 + 4, tag>>3<<8 | value, head
	}
	return tag + 1, value, head
}
