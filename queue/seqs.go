package queue

import (
	"encoding/binary"
	"errors"
)

// errSeqs reports an unreadable list of sequence numbers.
var errSeqs = errors.New("its groups cannot be read")

// PackSeqs encodes sequence numbers in order. A run of consecutive numbers is two varints:
// the distance of its first from the last number before, and how many more follow.
func PackSeqs(seqs []uint64) (b []byte) {
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

// UnpackSeqs undoes PackSeqs, for no more than most numbers.
func UnpackSeqs(b []byte, most int) (seqs []uint64, err error) {
	last := uint64(0)
	for len(b) > 0 {
		by, n := binary.Varint(b)
		if n <= 0 {
			return nil, errSeqs
		}
		more, m := binary.Uvarint(b[n:])
		if m <= 0 || more >= uint64(most-len(seqs)) {
			return nil, errSeqs
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
