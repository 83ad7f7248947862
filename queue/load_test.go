package queue

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
)

func TestLogRecordKeepsAll(t *testing.T) {
	t.Parallel()
	rising := rapid.Custom(func(t *rapid.T) []uint64 {
		list := make([]uint64, rapid.IntRange(0, 5).Draw(t, "n"))
		at := uint64(0)
		for i := range list {
			at += rapid.Uint64Range(0, 1<<40).Draw(t, "step")
			list[i] = at
		}
		return list
	})
	rapid.Check(t, func(t *rapid.T) {
		r := logRecord{
			Last: rapid.Uint64().Draw(t, "last"), Forget: rapid.Bool().Draw(t, "forget"),
			Checkpoint: rapid.Bool().Draw(t, "checkpoint"), Through: rapid.Uint64().Draw(t, "through"),
			Live: rising.Draw(t, "live"), Gone: rising.Draw(t, "gone"), Lost: rapid.Uint64().Draw(t, "lost"),
			At: rapid.Int64Min(0).Draw(t, "at"),
		}
		if freed := rising.Draw(t, "freed"); len(freed) > 0 {
			r.Freed = freed
		}
		for range rapid.IntRange(0, 3).Draw(t, "keys") {
			r.Keys = append(r.Keys, KeyOf(rapid.String().Draw(t, "id")))
		}
		back, err := decodeLog(r.encode())
		if err != nil || !reflect.DeepEqual(r, back) {
			t.Fatalf("%+v came back as %+v, error %v", r, back, err)
		}
	})
}

func FuzzLogRecord(f *testing.F) {
	f.Add(logRecord{Gone: []uint64{1, 2}, Keys: []Key{{1}, {2}}, Checkpoint: true, Live: []uint64{7}}.encode())
	f.Add(logRecord{Keys: []Key{{1}, {2}}, Freed: []uint64{3, 4}}.encode())
	f.Add([]byte{logVersion})
	f.Add(append(logRecord{Freed: []uint64{1}}.encode()[:len(logRecord{}.encode())], 0)) // a flag, and an empty list
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := decodeLog(b)
		if err != nil {
			return
		}
		if back, err := decodeLog(r.encode()); err != nil || !reflect.DeepEqual(r, back) {
			t.Fatalf("%+v came back as %+v, error %v", r, back, err)
		}
	})
}

// If the process ended between two steps, the next opening finishes the work.
func TestOpenAfterHalfOfTheWork(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	name := func(i int) Key { return KeyOf(string(rune('a' + i))) }
	for _, test := range []struct {
		why   string
		log   []logRecord
		wait  int // of three groups in the store
		known int
	}{
		{"nothing was done", nil, 3, 0},
		{"acknowledged, and not yet deleted", []logRecord{{Gone: []uint64{2}, Keys: []Key{name(1)}}}, 2, 1},
		{"one without an ID acknowledged", []logRecord{{Gone: []uint64{2}}}, 2, 0},
		{"put again while it was acknowledged", []logRecord{{Gone: []uint64{1}, Keys: []Key{name(0), name(2)}}}, 1, 2},
		{"reset, and not yet cleared", []logRecord{{Keys: []Key{name(9)}}, {Last: 2, Forget: true, Checkpoint: true, Through: 2}}, 1, 0},
		{"the log made short, the old one still there", []logRecord{
			{Gone: []uint64{2}, Keys: []Key{name(1)}}, {Last: 3, Checkpoint: true, Through: 3, Live: []uint64{1, 3}}, {Keys: []Key{name(1)}},
		}, 2, 1},
	} {
		m := NewMemory()
		for i := range 3 {
			e := Entry{ID: string(rune('a' + i))}
			if _, err := m.Put(ctx, []Record{{Key: e.key(), Meta: e.meta(unknownContent), Body: []byte("x")}}); err != nil {
				t.Fatal(err)
			}
		}
		for _, r := range test.log {
			if err := m.Append(ctx, r.encode()); err != nil {
				t.Fatal(err)
			}
		}
		for again := range 2 {
			q, err := Open(ctx, m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if s := q.Stats(); s.Waiting.Groups != test.wait || s.Known != test.known || s.Lost != 0 || len(m.bodies) != test.wait {
				t.Errorf("%s, opening %d: %d wait, %d in the store, %d known, %d missing; want %d waiting and %d known",
					test.why, again, s.Waiting.Groups, len(m.bodies), s.Known, s.Lost, test.wait, test.known)
			}
			if err := q.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestUnreadableIndexRecordIsSetAside(t *testing.T) {
	t.Parallel()
	ctx, m := context.Background(), NewMemory()
	for i, meta := range []string{"", "\x02", "\x02\x00\x00\x01\x01\x01\x00\x01"} {
		if _, err := m.Put(ctx, []Record{{Key: KeyOf(string(rune('a' + i))), Meta: []byte(meta)}}); err != nil {
			t.Fatal(err)
		}
	}
	q, err := Open(ctx, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if s := q.Stats(); s.Aside.Groups != 3 || s.Corrupt != 3 || s.Waiting.Groups != 0 {
		t.Errorf("stats %+v", s)
	}
	if fresh, err := q.Put(ctx, &quintain.Group{ID: "b"}); !fresh || err != nil {
		t.Errorf("another of its ID, which replaces it: fresh %v, error %v", fresh, err)
	}
	if _, err := q.Read(ctx, 2); !errors.Is(err, ErrUnknown) {
		t.Errorf("it was replaced: error %v", err)
	}
	if _, err := q.Read(ctx, 3); !errors.As(err, new(*CorruptError)) {
		t.Errorf("error %v", err)
	}
	if n, err := q.Drop(ctx, 1, 2, 3); n != 2 || err != nil {
		t.Errorf("%d dropped, error %v", n, err)
	}
}

// A group put by a clock that has since been set back counts as put now.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	ctx, m := context.Background(), NewMemory()
	e := Entry{ID: "a", put: time.Now().Add(time.Hour).UnixMilli()}
	if _, err := m.Put(ctx, []Record{{Key: e.key(), Meta: e.meta(unknownContent)}}); err != nil {
		t.Fatal(err)
	}
	q, err := Open(ctx, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	q.View(func(waiting []Entry) {
		if at := waiting[0].Put(); at.After(time.Now()) {
			t.Errorf("it was put at %v, later than now", at)
		}
	})
}

// A full store opens, so that it can be drained, although its log cannot be shortened.
func TestFullStoreOpens(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := NewMemory()
	name := func(i int) Key { return KeyOf(string(rune('a' + i))) }
	for i := range 3 {
		e := Entry{ID: string(rune('a' + i))}
		if _, err := m.Put(ctx, []Record{{Key: e.key(), Meta: e.meta(unknownContent), Body: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range append(slices.Repeat([]logRecord{{Gone: []uint64{2}, Keys: []Key{name(1)}}}, tidyAbove+1), logRecord{Keys: []Key{name(2)}}) {
		if err := m.Append(ctx, r.encode()); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.SetStates(ctx, []State{{Key: formatKey, Value: []byte("2")}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		q, err := Open(ctx, fullStore{m}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if s := q.Stats(); s.Waiting.Groups != 1 || s.Known != 2 || s.Lost != 0 {
			t.Errorf("%d wait, %d are known, %d missing", s.Waiting.Groups, s.Known, s.Lost)
		}
		if len(m.bodies) != 2 {
			t.Errorf("%d bodies are left: want the waiting one, and the one without a log record", len(m.bodies))
		}
		q.Close()
	}
}

// A fullStore has no space for another record.
type fullStore struct{ *Memory }

// Append adds nothing.
func (fullStore) Append(context.Context, []byte) error { return ErrNoSpace }

// Rewrite replaces nothing.
func (fullStore) Rewrite(context.Context, [][]byte) error { return ErrNoSpace }
