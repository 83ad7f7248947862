package run

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/queue"
)

// A store is a map that stops after some writes.
type store struct {
	values map[string][]byte
	left   int // writes; below 0: any number
}

func (s *store) States(context.Context, string) (list []queue.State, err error) {
	for key, value := range s.values {
		if key != "record" {
			list = append(list, queue.State{Key: key, Value: value})
		}
	}
	return list, nil
}

func (s *store) write(list []queue.State) bool {
	for _, one := range list {
		if s.left == 0 {
			return false
		}
		s.left--
		if s.values[one.Key] = one.Value; one.Value == nil {
			delete(s.values, one.Key)
		}
	}
	return true
}

// A process writes texts, and is killed at some write: the next one finds the old text or the
// new one, and leaves none of the others behind.
func TestTheRecordAlwaysHasItsText(t *testing.T) {
	texts := make([][]byte, 6)
	for i, n := range []int{600_000, 100, 1_000_000, 300_000, 0, 700_000} {
		texts[i] = bytes.Repeat([]byte{byte('a' + i)}, n)
	}
	for stop := range 40 {
		s := &store{values: map[string][]byte{}, left: stop}
		var mark pieceMark
		shelf, _, err := openPieces(t.Context(), s, "p-", mark)
		if err != nil {
			t.Fatal(err)
		}
		var sure []byte
		for i := 0; i < len(texts); i++ {
			next, before, after := shelf.cut(texts[i])
			record := queue.State{Key: "record", Value: fmt.Appendf(nil, "%d %d", next.Set, next.Count)}
			if s.write(slices.Concat(before, []queue.State{record}, after)) {
				shelf.wrote()
				sure = texts[i]
				continue
			}
			s.left = -1 // the process is killed, or tries again
			if stop%2 == 0 {
				i--
				continue
			}
			if _, err := fmt.Sscan(string(s.values["record"]), &mark.Set, &mark.Count); err != nil {
				mark = pieceMark{}
			}
			var found []byte
			if shelf, found, err = openPieces(t.Context(), s, "p-", mark); err != nil {
				t.Fatalf("stopped after %d writes: %v", stop, err)
			}
			if !bytes.Equal(found, sure) && !bytes.Equal(found, texts[i]) {
				t.Fatalf("stopped after %d writes: a text of %d bytes, want %d or %d", stop, len(found), len(sure), len(texts[i]))
			}
			i--
		}
		if n := len(s.values); n != 1+3 {
			t.Errorf("stopped after %d writes: %d states are left in the end, want the record and three pieces", stop, n)
		}
	}
}

func TestAMissingPieceIsTold(t *testing.T) {
	s := &store{values: map[string][]byte{"p-7-0": []byte("a")}}
	if _, _, err := openPieces(t.Context(), s, "p-", pieceMark{Set: 7, Count: 2}); err == nil {
		t.Error("a text without its second piece")
	}
}

func TestSmallTextsStayWhole(t *testing.T) {
	if isLarge(make([]byte, 1000)) || !isLarge(make([]byte, 300_000)) {
		t.Error("300,000 bytes are large, and 1,000 are not")
	}
}
