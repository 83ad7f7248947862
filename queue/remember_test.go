package queue

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
)

// Keys are forgotten in time, and a wrong clock forgets none too early.
func TestRemember(t *testing.T) {
	for _, test := range []struct {
		why         string
		keep        time.Duration
		done, after time.Duration // from now: when the group was done, by the log, and when the queue is used
		known       bool
	}{
		{"for ever", 0, -1e5 * time.Hour, 0, true},
		{"not yet old", 32 * time.Hour, -31 * time.Hour, 0, true},
		{"old", 32 * time.Hour, -36 * time.Hour, 0, false},
		{"becomes old", 32 * time.Hour, 0, 36 * time.Hour, false},
		{"the clock was set back by a year, and is behind the log", 32 * time.Hour, 365 * 24 * time.Hour, 300 * 24 * time.Hour, true},
		{"the clock was set back by a year, and has caught up", 32 * time.Hour, 365 * 24 * time.Hour, 370 * 24 * time.Hour, false},
	} {
		t.Run(test.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, m := context.Background(), NewMemory()
				r := logRecord{At: time.Now().Add(test.done).UnixMilli(), Keys: []Key{KeyOf("a")}}
				if err := m.Append(ctx, r.encode()); err != nil {
					t.Fatal(err)
				}
				q, err := Open(ctx, m, Options{Remember: test.keep})
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(test.after)
				if fresh, err := q.Put(ctx, &quintain.Group{ID: "a"}); fresh == test.known || err != nil {
					t.Errorf("fresh: %v, error %v", fresh, err)
				}
				if err := q.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A clock set back does not make new keys look old later.
func TestRecordsNeverGoBackInTime(t *testing.T) {
	ctx, m := context.Background(), NewMemory()
	ahead := time.Now().Add(time.Hour).UnixMilli()
	if err := m.Append(ctx, logRecord{At: ahead}.encode()); err != nil {
		t.Fatal(err)
	}
	q, err := Open(ctx, m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := q.Put(ctx, &quintain.Group{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	if n, err := q.Drop(ctx, 1); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if r, err := decodeLog(m.log[len(m.log)-1]); err != nil || r.At != ahead {
		t.Errorf("the record is of %d, error %v, and the one before is of %d", r.At, err, ahead)
	}
}
