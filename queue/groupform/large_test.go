package groupform

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/quintain-rl/quintain"
)

// Large groups, encoded several at once, come back as they were, with the sum of all bytes.
func TestLargeGroups(t *testing.T) {
	t.Parallel()
	c := NewCodec(0)
	var all sync.WaitGroup
	for _, size := range []int{atOnce - 10, atOnce, 3*atOnce + 5, largeGroup + 1} {
		for _, text := range [][]byte{bytes.Repeat([]byte("a"), size), bytes.Repeat([]byte("ab\"cdef "), size/8)} {
			all.Go(func() {
				if want := crc32.Checksum(text, castagnoli()); sumOf(text) != want {
					t.Errorf("%d bytes: the sum is %08x, want %08x", size, sumOf(text), want)
				}
				images, err := json.Marshal(string(text))
				if err != nil {
					t.Error(err)
					return
				}
				g := &quintain.Group{Tokens: [][]quintain.Token{{1}}, Masks: [][]int32{{1}}, Scores: []float64{1}, Images: images}
				b, _, err := c.AppendFast(nil, g)
				if err != nil {
					t.Errorf("%d bytes: %v", size, err)
					return
				}
				if back, err := c.Decode(b); err != nil || !bytes.Equal(back.Images, images) {
					t.Errorf("%d bytes came back as %d, error %v", len(images), len(back.Images), err)
				}
			})
		}
	}
	all.Wait()
}

// letters returns n letters in which words come again.
func letters(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, 0, n+100)
	for len(b) < n {
		word := b[max(0, len(b)-r.IntN(1+len(b))):]
		word = word[:min(len(word), r.IntN(100))]
		b = append(append(b, word...), byte(r.Uint32()))
	}
	return b[:n]
}

// The encoder gets no more than a piece at once, since nothing can interrupt it: no element of a
// block crosses pieces, and none refers to the piece before.
func TestBlocksHavePieces(t *testing.T) {
	t.Parallel()
	all := letters(2*atOnce + 1000)
	copy(all[atOnce:], all[atOnce-5000:atOnce])
	want := binary.AppendUvarint(nil, uint64(len(all)))
	for from := 0; from < len(all); from += atOnce {
		block := s2.EncodeSnappy(nil, all[from:min(from+atOnce, len(all))])
		_, head := binary.Uvarint(block)
		want = append(want, block[head:]...)
	}
	for _, room := range []int{0, mostPacked(len(all))} {
		if got := appendFast(make([]byte, 0, room), all); !bytes.Equal(got, want) {
			t.Errorf("with room for %d bytes: a block of %d bytes, want one of %d", room, len(got), len(want))
		}
	}
}

// A block of bytes that do not shrink fits the room made for it, and is found by its size.
func TestMostPacked(t *testing.T) {
	t.Parallel()
	all := make([]byte, 5*atOnce+17)
	for i, r := 0, rand.New(rand.NewPCG(3, 4)); i < len(all); i++ {
		all[i] = byte(r.Uint32())
	}
	if n := len(appendFast(nil, all)); n > mostPacked(len(all)) {
		t.Errorf("%d bytes take %d, want at most %d", len(all), n, mostPacked(len(all)))
	}
	b := wrap([]byte("before"), all, packedFast, appendFast)
	if from, to, ok := Find(append(b, "after"...)); !ok || from != len("before") || to != len(b) {
		t.Errorf("found %v from %d to %d, want from %d to %d", ok, from, to, len("before"), len(b))
	}
}

// Large blocks are inflated as s2 does it, those of one piece too, as earlier versions wrote them,
// and damaged ones are refused.
func TestUnpack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	all := letters(atOnce + 7)
	for why, block := range map[string][]byte{
		"pieces": appendFast(nil, all), "whole": s2.EncodeSnappy(nil, all), "better": s2.EncodeSnappyBetter(nil, all),
		"plain": appendPlain(nil, all), "one letter": s2.EncodeSnappy(nil, bytes.Repeat([]byte("a"), len(all))),
	} {
		want, err := s2.Decode(nil, block)
		if err != nil {
			t.Fatal(err)
		}
		_, head := binary.Uvarint(block)
		got, ok := unpack(make([]byte, 0, len(want)), block[head:])
		if !ok || !bytes.Equal(got, want) {
			t.Errorf("%s: inflates to %d bytes, %v; want %d", why, len(got), ok, len(want))
		}
		if _, ok := unpack(make([]byte, 0, len(want)-1), block[head:]); ok {
			t.Errorf("%s: inflates beyond the room", why)
		}
		for range 30 {
			cut := bytes.Clone(block[:head+r.IntN(len(block)-head)])
			if r.IntN(2) == 0 {
				cut = append(cut, block[len(cut):]...)
				cut[head+r.IntN(len(cut)-head)] ^= 1 << r.IntN(8)
			}
			want, err := s2.Decode(nil, cut)
			got, ok := unpack(make([]byte, 0, len(all)), cut[head:])
			if ok = ok && len(got) == len(all); ok && err == nil && !bytes.Equal(got, want) || ok && err != nil {
				t.Fatalf("%s: damaged, it inflates to %d bytes, of s2 to %d, error %v", why, len(got), len(want), err)
			}
		}
	}
}
