package pause_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

func TestPausesDoubleUpToTheMost(t *testing.T) {
	const s, never = time.Second, time.Duration(1<<63 - 1)
	for _, c := range []struct {
		first, most time.Duration
		want        map[int]time.Duration // after so many failures
	}{
		{s, 10 * s, map[int]time.Duration{0: s, 1: s, 2: 2 * s, 3: 4 * s, 4: 8 * s, 5: 10 * s, 6: 10 * s, 1 << 30: 10 * s}},
		{2 * s, 2 * s, map[int]time.Duration{1: 2 * s, 2: 2 * s}},
		{5 * s, s, map[int]time.Duration{1: s, 2: s}},
		{0, 0, map[int]time.Duration{1: 0, 9: 0}},
		{1, never, map[int]time.Duration{62: 1 << 61, 63: never, 64: never}},
	} {
		for failures, want := range c.want {
			if got := (pause.Backoff{First: c.first, Most: c.most}).After(failures); got != want {
				t.Errorf("%v to %v: %v after %d failures, want %v", c.first, c.most, got, failures, want)
			}
		}
	}
}

func TestJitterIsFull(t *testing.T) {
	low, high := time.Hour, time.Duration(0)
	for range 1000 {
		d := pause.Backoff{First: time.Second, Most: time.Second, Jitter: true}.After(1)
		low, high = min(low, d), max(high, d)
	}
	if low < 0 || low > 50*time.Millisecond || high > time.Second || high < 950*time.Millisecond {
		t.Errorf("pauses from %v to %v, want from about 0 to about 1s", low, high)
	}
}

func ExampleBackoff() {
	b := pause.Backoff{First: time.Second, Most: 5 * time.Second}
	for failures := 1; failures <= 4; failures++ {
		fmt.Println(b.After(failures))
	}
	// Output:
	// 1s
	// 2s
	// 4s
	// 5s
}
