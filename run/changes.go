package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/kept"
)

// The record of a run is a snapshot, and changes since. The key of a change is its number since
// the snapshot, so that nobody has to delete it: the snapshot tells which changes follow it.
const (
	changePrefix = kept.ChangePrefix
	mostChanges  = 1024      // may follow a snapshot, or one for each byteShare of its bytes
	byteShare    = 32        // see above
	changeBytes  = 256 << 10 // of a change
	growth       = 4         // as well as so many times the bytes of the snapshot, or of the longest change
)

// changeKey is the key of the nth change since a snapshot.
func changeKey(n uint64) string { return fmt.Sprint(changePrefix, n) }

// A recordChange is a change of the record. Changes are numbered without a gap.
type recordChange struct {
	RunID   string          `json:"run_id"`
	Number  uint64          `json:"number"`
	Version int             `json:"version"`
	Batch   *[]string       `json:"batch,omitempty"` // nil: as before
	Streams json.RawMessage `json:"streams"`
	Part    json.RawMessage `json:"part,omitempty"`
}

// save writes the changes since the last save, or all if they have become long.
func (l *ledger) save(ctx context.Context) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	return l.saveNow(ctx)
}

// saveNow is save with l.saving held.
func (l *ledger) saveNow(ctx context.Context) error {
	list, err := l.next()
	if err == nil {
		err = l.store.SetStates(ctx, list)
	}
	if err != nil {
		l.grown = -1 // the changes are gone: write all
		return fmt.Errorf("record of the run: %w", err)
	}
	if l.grown == 0 {
		l.shelf.wrote()
	}
	return nil
}

// next returns the states to write, in their order. l.saving is held.
func (l *ledger) next() ([]queue.State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.grown >= 0 && l.grown < growth*max(changeBytes, l.whole) && int(l.record.Number-l.since) < max(mostChanges, l.whole/byteShare) {
		c := recordChange{RunID: l.record.RunID, Number: l.record.Number + 1, Version: l.record.Version, Part: l.record.Part.changes(), Streams: l.record.Streams.Changes()}
		if !slices.Equal(l.record.Batch, l.batch) {
			c.Batch = &l.record.Batch
		}
		data, err := json.Marshal(&c)
		if err != nil {
			return nil, err
		}
		if len(data) <= changeBytes {
			l.record.Number++
			l.grown += len(data)
			l.batch = l.record.Batch
			return []queue.State{{Key: changeKey(c.Number - l.since), Value: data}}, nil
		}
	}
	list, err := l.snapshot()
	l.grown, l.whole, l.since, l.batch = 0, 0, l.record.Number, l.record.Batch
	for _, one := range list {
		l.whole += len(one.Value)
	}
	return list, err
}

// snapshot encodes the whole record, and a large part of it in pieces. l.mu is held.
func (l *ledger) snapshot() ([]queue.State, error) {
	part, err := l.record.Part.snapshot() // before the streams: it may know of a problem less, and none more
	if err != nil {
		return nil, err
	}
	streams, err := l.record.Streams.Snapshot()
	if err != nil {
		return nil, err
	}
	var cut json.RawMessage
	if isLarge(part) {
		part, cut = nil, part
	}
	mark, before, after := l.shelf.cut(cut)
	data, err := json.Marshal(struct {
		recordHead
		Streams json.RawMessage `json:"streams"`
		Part    json.RawMessage `json:"part,omitempty"`
		Pieces  pieceMark       `json:"pieces,omitzero"` // of Part
	}{l.record.recordHead, streams, part, mark})
	return slices.Concat(before, []queue.State{{Key: RecordKey, Value: data}}, after), err
}

// replay makes the changes that follow the snapshot.
func (l *ledger) replay(ctx context.Context) error {
	list, err := l.store.States(ctx, changePrefix)
	if err != nil {
		return err
	}
	byNumber := make(map[uint64]recordChange, len(list))
	for _, s := range list {
		var c recordChange
		if err := strictjson.Unmarshal(s.Value, &c); err != nil {
			return fmt.Errorf("state %s: %w", s.Key, err)
		}
		if c.RunID == l.record.RunID {
			byNumber[c.Number] = c
		}
	}
	for {
		c, ok := byNumber[l.record.Number+1]
		if !ok {
			return nil
		}
		if err := l.record.Streams.Replay(c.Streams); err != nil {
			return fmt.Errorf("change %d: %w", c.Number, err)
		}
		if err := l.record.Part.replay(c.Part); err != nil {
			return fmt.Errorf("change %d: %w", c.Number, err)
		}
		l.record.Number, l.record.Version = c.Number, c.Version
		if c.Batch != nil {
			l.record.Batch = *c.Batch
		}
	}
}
