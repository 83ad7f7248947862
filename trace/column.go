package trace

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// A column is a list of whole numbers. It stores each number minus the base, in planes:
// the lowest bytes of all, then the second bytes of all, and so on.
type column struct {
	base   int64
	n      int
	width  int // planes, 1 to 8
	planes []byte
}

const columnHead = 9 // bytes of a column before its planes

// at returns number i.
func (c column) at(i int) int64 {
	v := uint64(0)
	for k := range c.width {
		v |= uint64(c.planes[k*c.n+i]) << (8 * k)
	}
	return c.base + int64(v)
}

var errColumn = fmt.Errorf("%w: a column of numbers is incomplete", ErrDamaged)

// readColumn reads a column of n numbers from b, and returns the rest.
func readColumn(b []byte, n int) (c column, rest []byte, err error) {
	if len(b) < columnHead {
		return c, nil, errColumn
	}
	c = column{base: int64(binary.LittleEndian.Uint64(b)), n: n, width: int(b[8])}
	b = b[columnHead:]
	if c.width < 1 || c.width > 8 || n < 0 || n > len(b)/c.width {
		return c, nil, errColumn
	}
	c.planes, rest = b[:n*c.width], b[n*c.width:]
	return c, rest, nil
}

// whole is the types of numbers in columns.
type whole interface{ ~int32 | ~uint32 | ~int64 }

// widthOf is the number of planes that values need.
func widthOf[T whole](values []T, base int64) int {
	all := uint64(0)
	for _, v := range values {
		all |= uint64(int64(v) - base)
	}
	width := 1
	for ; all > 0xff; all >>= 8 {
		width++
	}
	return width
}

// appendColumnHead appends the bytes before the planes.
func appendColumnHead(dst []byte, base int64, width int) []byte {
	return append(binary.LittleEndian.AppendUint64(dst, uint64(base)), byte(width))
}

// appendPlane appends plane k of values.
func appendPlane[T whole](dst []byte, values []T, base int64, k int) []byte {
	at := len(dst)
	dst = slices.Grow(dst, len(values))[:at+len(values)]
	for i, v := range values {
		dst[at+i] = byte(uint64(int64(v)-base) >> (8 * k))
	}
	return dst
}

// appendColumn appends values as a column with the least of them as its base.
func appendColumn(dst []byte, values []int64) []byte {
	base := int64(0)
	if len(values) > 0 {
		base = slices.Min(values)
	}
	width := widthOf(values, base)
	dst = appendColumnHead(dst, base, width)
	for k := range width {
		dst = appendPlane(dst, values, base, k)
	}
	return dst
}
