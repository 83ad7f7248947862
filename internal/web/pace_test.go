package web

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestPace gives a slow body less and less time.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := newPace(time.Minute)
		for _, test := range []struct {
			why   string
			after time.Duration
			moved int64
			left  time.Duration
		}{
			{"at the start", 0, 0, time.Minute},
			{"after ten minutes without a byte", 10 * time.Minute, 0, -9 * time.Minute},
			{"at the least rate", 0, leastRate * 9 * 60, 0},
			{"at any higher rate", 0, 1 << 40, time.Minute},
		} {
			time.Sleep(test.after)
			p.moved = test.moved
			if left := time.Until(p.deadline()).Round(time.Second); left != test.left {
				t.Errorf("%s: %v left, want %v", test.why, left, test.left)
			}
		}
	})
}
