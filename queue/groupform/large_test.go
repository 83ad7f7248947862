package groupform

import (
	"bytes"
	"encoding/json"
	"hash/crc32"
	"sync"
	"testing"

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
