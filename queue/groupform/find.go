package groupform

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
)

// Find returns the place of the first whole encoded group in b, as in a damaged file. ok is
// false if there is none.
func Find(b []byte) (from, to int, ok bool) {
	for {
		i := bytes.Index(b[from:], []byte(groupMagic))
		if i < 0 {
			return 0, 0, false
		}
		from += i
		if n := wholeAt(b[from:]); n > 0 {
			return from, from + n, true
		}
		from += len(groupMagic)
	}
}

// wholeAt is the size of the encoded group at the beginning of b, by its checksum; 0: there is
// no whole one. The envelope has no size, but bounds it: packing never adds much.
func wholeAt(b []byte) int {
	e, err := open(b)
	if err != nil || e.size > uint64(len(b))*maxDeflated {
		return 0
	}
	most := len(b)
	if e.size < math.MaxInt32 {
		most = min(most, mostPacked(int(e.size))+64)
	}
	at := len(groupMagic) + 2
	sum := crc32.Checksum(b[:at], castagnoli())
	for ; at+sumLen <= most; at++ {
		if binary.LittleEndian.Uint32(b[at:]) == sum {
			return at + sumLen
		}
		sum = crc32.Update(sum, castagnoli(), b[at:at+1])
	}
	return 0
}
