package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// The record of a run is a snapshot, and changes since. A change has one of a fixed number of
// keys, in turn, so that nobody has to delete it: the snapshot tells which changes follow it.
const (
	changePrefix = "run-change-"
	changeKeys   = 1024      // so many changes may follow a snapshot
	changeBytes  = 256 << 10 // as well as so many bytes, or as many as the snapshot has
)

// changeKey is the key of change number n.
func changeKey(n uint64) string { return fmt.Sprint(changePrefix, n%changeKeys) }

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
	key, data, err := l.next()
	if err == nil {
		err = l.store.SetState(ctx, key, data)
	}
	if err != nil {
		l.grown = -1 // the changes are gone: write all
		return fmt.Errorf("record of the run: %w", err)
	}
	return nil
}

// next returns the state to write. l.saving is held.
func (l *ledger) next() (key string, data []byte, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.grown >= 0 && l.grown < max(changeBytes, l.whole) && l.record.Number-l.since < changeKeys {
		c := recordChange{RunID: l.record.RunID, Number: l.record.Number + 1, Version: l.record.Version, Part: l.record.Part.changes(), Streams: l.record.Streams.Changes()}
		if !slices.Equal(l.record.Batch, l.batch) {
			c.Batch = &l.record.Batch
		}
		if data, err = jsonform.Marshal(c); err != nil {
			return "", nil, err
		}
		if len(data) <= changeBytes {
			l.record.Number++
			l.grown += len(data)
			l.batch = l.record.Batch
			return changeKey(c.Number), data, nil
		}
	}
	data, err = l.snapshot()
	l.grown, l.whole, l.since, l.batch = 0, len(data), l.record.Number, l.record.Batch
	return recordKey, data, err
}

// snapshot encodes the whole record. l.mu is held.
func (l *ledger) snapshot() ([]byte, error) {
	part, err := l.record.Part.snapshot() // before the streams: it may know of a problem less, and none more
	if err != nil {
		return nil, err
	}
	streams, err := l.record.Streams.Snapshot()
	if err != nil {
		return nil, err
	}
	return jsonform.Marshal(struct {
		recordHead
		Streams json.RawMessage `json:"streams"`
		Part    json.RawMessage `json:"part,omitempty"`
	}{l.record.recordHead, streams, part})
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
		if err := jsonform.Unmarshal(s.Value, &c); err != nil {
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
			return fmt.Errorf("state %s: %w", changeKey(c.Number), err)
		}
		if err := l.record.Part.replay(c.Part); err != nil {
			return fmt.Errorf("state %s: %w", changeKey(c.Number), err)
		}
		l.record.Number, l.record.Version = c.Number, c.Version
		if c.Batch != nil {
			l.record.Batch = *c.Batch
		}
	}
}
