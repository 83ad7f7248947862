package hub

import (
	"encoding/binary"
	"errors"
)

// errSpans reports an unreadable list of sequence numbers.
var errSpans = errors.New("its groups cannot be read")

// packSpans encodes sequence numbers in order. A run of consecutive numbers is two varints:
// the distance of its first from the last number before, and how many more follow.
func packSpans(seqs []uint64) (b []byte) {
	last := uint64(0)
	for len(seqs) > 0 {
		n := 1
		for n < len(seqs) && seqs[n] == seqs[n-1]+1 {
			n++
		}
		b = binary.AppendVarint(b, int64(seqs[0]-last))
		b = binary.AppendUvarint(b, uint64(n-1))
		last, seqs = seqs[n-1], seqs[n:]
	}
	return b
}

// unpackSpans undoes packSpans, for no more than most numbers.
func unpackSpans(b []byte, most int) (seqs []uint64, err error) {
	last := uint64(0)
	for len(b) > 0 {
		by, n := binary.Varint(b)
		if n <= 0 {
			return nil, errSpans
		}
		more, m := binary.Uvarint(b[n:])
		if m <= 0 || more >= uint64(most-len(seqs)) {
			return nil, errSpans
		}
		b = b[n+m:]
		last += uint64(by)
		for range more {
			seqs = append(seqs, last)
			last++
		}
		seqs = append(seqs, last)
	}
	return seqs, nil
}
