package trade_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/hub/trade"
)

// Whoever lends the trade learns that the run changed meanwhile.
func TestLend(t *testing.T) {
	own := errors.New("the disk fails")
	for _, test := range []struct {
		why   string
		turns bool
		err   error
		want  error
	}{
		{"nothing changed", false, nil, nil},
		{"its own error", false, own, own},
		{"the run changed", true, own, trade.ErrMoved},
	} {
		of := trade.New()
		d, err := of.Deal(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		err = d.Lend(func() error {
			other, failed := of.Deal(t.Context())
			if failed != nil {
				t.Fatal(failed)
			}
			defer other.End()
			if test.turns {
				of.Turn()
			}
			return test.err
		})
		if d.End(); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", test.why, err, test.want)
		}
	}
}

// A deal that waits for another ends after the patience, and so does one that gets its trade back
// too late.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		of, began := trade.New(), time.Now()
		d, err := of.Deal(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := of.Deal(t.Context()); err == nil || time.Since(began) != trade.Patience {
			t.Errorf("a second deal: error %v after %v", err, time.Since(began))
		}
		if err := d.Lend(func() error { of.Lock(); return nil }); err == nil {
			t.Error("a deal got the trade back that another holds")
		}
		d.End()
		of.Unlock()
		if d, err = of.Deal(t.Context()); err != nil {
			t.Fatalf("after that: %v", err)
		}
		d.End()
	})
}
