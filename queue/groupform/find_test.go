package groupform_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// Groups are found among other bytes; a changed one, and the beginning of one, are not.
func TestFind(t *testing.T) {
	codec := groupform.NewCodec(0)
	small, err := codec.Encode(queuetest.Group(1))
	if err != nil {
		t.Fatal(err)
	}
	fast, err := codec.EncodeFast(queuetest.Group(2))
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(fast)
	changed[len(changed)-9] ^= 1
	b := slices.Concat([]byte("QNfr, QNGR"), small, fast, []byte("QNGR\x02\x10"), changed, make([]byte, 100), fast, small[:len(small)-1])
	for i, want := range [][]byte{small, fast, fast} {
		from, to, ok := groupform.Find(b)
		if !ok || !bytes.Equal(b[from:to], want) {
			t.Fatalf("group %d: %d to %d, %v", i, from, to, ok)
		}
		b = b[to:]
	}
	if from, to, ok := groupform.Find(b); ok {
		t.Errorf("another at %d to %d", from, to)
	}
}
