package run

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

// Pauses before a new group after failures of the policy.
const (
	pauseFirst = 50 * time.Millisecond
	pauseMost  = 10 * time.Second
)

// A faultPause slows a run down while its policy fails, so that a server that is down
// is not asked as fast as it can refuse. Many goroutines may use it.
type faultPause struct {
	row atomic.Int64 // groups that failed in a row
}

// count takes note of a group that failed, or did not.
func (f *faultPause) count(failed bool) {
	if failed {
		f.row.Add(1)
	} else {
		f.row.Store(0)
	}
}

// wait waits for a while if the last groups failed: the longer, the more of them did.
func (f *faultPause) wait(ctx context.Context) error {
	row := f.row.Load()
	if row == 0 {
		return nil
	}
	if !pause.For(ctx, min(pauseMost, pauseFirst<<min(row, 10))) {
		return context.Cause(ctx)
	}
	return nil
}
