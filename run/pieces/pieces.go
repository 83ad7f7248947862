// Package pieces keeps a large text in a store of small states. The record that has the text's
// [Mark] is written between the new pieces and the deletion of the old ones, so that whichever
// record is found has its text.
package pieces

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/queue"
)

// size is that of a piece, in bytes; a text that is no longer is none of this package's.
const size = 256 << 10

// A Store has states by key.
type Store interface {
	States(ctx context.Context, prefix string) ([]queue.State, error)
}

// A Mark says which pieces make a text. The zero Mark is that of none.
type Mark struct {
	Set   uint64 `json:"set"` // a number that no other text has had
	Count int    `json:"count"`
}

// A Shelf is the pieces in a store whose keys begin alike. It is for one goroutine at a time.
type Shelf struct {
	prefix string
	last   uint64   // number of the last set
	keys   []string // of pieces that the store may have
	fresh  int      // of these, the first are those of the last set
}

// Open lists the pieces in a store, and returns the text of a mark.
func Open(ctx context.Context, store Store, prefix string, mark Mark) (s *Shelf, text []byte, err error) {
	list, err := store.States(ctx, prefix)
	if err != nil {
		return nil, nil, err
	}
	s = &Shelf{prefix: prefix, last: mark.Set}
	found := make([][]byte, 0, mark.Count)
	byKey := map[string][]byte{}
	for _, one := range list {
		s.keys = append(s.keys, one.Key)
		byKey[one.Key] = one.Value
		var set uint64
		if _, err := fmt.Sscanf(one.Key, prefix+"%d-", &set); err == nil {
			s.last = max(s.last, set)
		}
	}
	for i := range mark.Count {
		piece, is := byKey[s.key(mark.Set, i)]
		if !is {
			return nil, nil, fmt.Errorf("state %s: is missing", s.key(mark.Set, i))
		}
		found = append(found, piece)
	}
	return s, bytes.Join(found, nil), nil
}

func (s *Shelf) key(set uint64, i int) string { return fmt.Sprintf("%s%d-%d", s.prefix, set, i) }

// Large reports whether a text should be cut into pieces.
func Large(text []byte) bool { return len(text) > size }

// Cut cuts a text into pieces, or none if it is empty, which are written before the record
// with the mark, in their order; after it, the old ones are deleted by the states after.
func (s *Shelf) Cut(text []byte) (mark Mark, before, after []queue.State) {
	for _, key := range s.keys {
		after = append(after, queue.State{Key: key})
	}
	if len(text) == 0 {
		s.fresh = 0
		return mark, nil, after
	}
	s.last++
	mark.Set = s.last
	var keys []string
	for piece := range slices.Chunk(text, size) {
		keys = append(keys, s.key(mark.Set, mark.Count))
		before = append(before, queue.State{Key: keys[mark.Count], Value: piece})
		mark.Count++
	}
	s.keys, s.fresh = append(keys, s.keys...), len(keys)
	return mark, before, after
}

// Wrote says that all states of the last Cut are written.
func (s *Shelf) Wrote() { s.keys = s.keys[:s.fresh:s.fresh] }
