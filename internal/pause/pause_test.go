package pause_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

func TestForEndsWithTheTimeOrTheContext(t *testing.T) {
	for _, c := range []struct {
		why       string
		cut, wait time.Duration
		passed    bool
		took      time.Duration
	}{
		{"the time passes first", time.Minute, time.Second, true, time.Second},
		{"the context ends first", time.Second, time.Minute, false, time.Second},
		{"the context has ended", -time.Second, time.Minute, false, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, cancel := context.WithDeadline(t.Context(), start.Add(c.cut))
				defer cancel()
				if passed := pause.For(ctx, c.wait); passed != c.passed {
					t.Errorf("passed: %v, want %v", passed, c.passed)
				}
				if took := time.Since(start); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
			})
		})
	}
}

func ExampleFor() {
	for try := range 3 {
		fmt.Println("try", try)
		if !pause.For(context.Background(), time.Millisecond) {
			return
		}
	}
	// Output:
	// try 0
	// try 1
	// try 2
}
