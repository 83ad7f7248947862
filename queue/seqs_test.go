package queue

import (
	"slices"
	"testing"
)

func TestSeqs(t *testing.T) {
	for _, test := range []struct {
		why  string
		seqs []uint64
		size int
	}{
		{"none", nil, 0},
		{"one", []uint64{5}, 2},
		{"a run", []uint64{5, 6, 7, 8}, 2},
		{"runs in any order", []uint64{900, 901, 3, 4, 2, 1 << 62}, 18},
	} {
		b := PackSeqs(test.seqs)
		got, err := UnpackSeqs(b, len(test.seqs))
		if err != nil || !slices.Equal(got, test.seqs) || len(b) != test.size {
			t.Errorf("%s: %v in %d bytes, %v, want %v in %d", test.why, got, len(b), err, test.seqs, test.size)
		}
		if _, err := UnpackSeqs(b, len(test.seqs)-1); err == nil && len(test.seqs) > 0 {
			t.Errorf("%s: more than may be were read", test.why)
		}
	}
}

func FuzzSeqs(f *testing.F) {
	f.Add(PackSeqs([]uint64{1, 2, 3, 9, 4}))
	f.Add([]byte{2, 0x80, 0x80, 0x80, 0x80, 0x10})
	f.Fuzz(func(t *testing.T, b []byte) {
		seqs, err := UnpackSeqs(b, 1000)
		if err != nil {
			return
		}
		again, err := UnpackSeqs(PackSeqs(seqs), 1000)
		if err != nil || !slices.Equal(again, seqs) {
			t.Errorf("%v became %v, %v", seqs, again, err)
		}
	})
}
