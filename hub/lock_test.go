package hub

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever releases the lock learns that the run changed meanwhile.
func TestReleased(t *testing.T) {
	own := errors.New("the disk fails")
	for _, test := range []struct {
		why   string
		turns bool
		err   error
		want  error
	}{
		{"nothing changed", false, nil, nil},
		{"its own error", false, own, own},
		{"the run changed", true, own, errMoved},
	} {
		of := newMutex()
		ctx, l, err := of.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = l.released(ctx, func() error {
			_, other, failed := of.acquire(t.Context())
			if failed != nil {
				t.Fatal(failed)
			}
			defer other.end()
			if test.turns {
				of.moves++
			}
			return test.err
		})
		if l.end(); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.why, err, test.want)
		}
	}
}

// A request that waits for another ends after the patience, and so does one that gets its lock back
// too late.
func TestLockPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of, began := newMutex(), time.Now()
		ctx, l, err := of.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := of.acquire(t.Context()); err == nil || time.Since(began) != patience {
			t.Errorf("a second request: error %v after %v", err, time.Since(began))
		}
		if err := l.released(ctx, func() error { of.Lock(); return nil }); err == nil {
			t.Error("a request got the lock back that another holds")
		}
		l.end()
		of.Unlock()
		if _, l, err = of.acquire(t.Context()); err != nil {
			t.Fatalf("after that: %v", err)
		}
		l.end()
	})
}
