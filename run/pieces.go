package run

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/queue"
)

// pieceSize is that of a piece, in bytes; a text that is no longer needs none.
const pieceSize = 256 << 10

// A pieceStore has states by key.
type pieceStore interface {
	States(ctx context.Context, prefix string) ([]queue.State, error)
}

// A pieceMark says which pieces make a text. The zero value is that of none.
type pieceMark struct {
	Set   uint64 `json:"set"` // a number that no other text has had
	Count int    `json:"count"`
}

// textPieces are the pieces in a store whose keys begin alike. It is for one goroutine at a time.
type textPieces struct {
	prefix string
	last   uint64   // number of the last set
	keys   []string // of pieces that the store may have
	fresh  int      // of these, the first are those of the last set
}

// openPieces lists the pieces in a store, and returns the text of a mark.
func openPieces(ctx context.Context, store pieceStore, prefix string, mark pieceMark) (s *textPieces, text []byte, err error) {
	list, err := store.States(ctx, prefix)
	if err != nil {
		return nil, nil, err
	}
	s = &textPieces{prefix: prefix, last: mark.Set}
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
		piece, ok := byKey[s.key(mark.Set, i)]
		if !ok {
			return nil, nil, fmt.Errorf("state %s: is missing", s.key(mark.Set, i))
		}
		found = append(found, piece)
	}
	return s, bytes.Join(found, nil), nil
}

func (s *textPieces) key(set uint64, i int) string { return fmt.Sprintf("%s%d-%d", s.prefix, set, i) }

// isLarge reports whether a text should be cut into pieces.
func isLarge(text []byte) bool { return len(text) > pieceSize }

// cut cuts a text into pieces, or none if it is empty, which are written before the record
// with the mark, in their order; after it, the old ones are deleted by the states after.
func (s *textPieces) cut(text []byte) (mark pieceMark, before, after []queue.State) {
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
	for piece := range slices.Chunk(text, pieceSize) {
		keys = append(keys, s.key(mark.Set, mark.Count))
		before = append(before, queue.State{Key: keys[mark.Count], Value: piece})
		mark.Count++
	}
	s.keys, s.fresh = append(keys, s.keys...), len(keys)
	return mark, before, after
}

// wrote says that all states of the last cut are written.
func (s *textPieces) wrote() { s.keys = s.keys[:s.fresh:s.fresh] }
