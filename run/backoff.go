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

// A backoff slows a run down while its policy fails: a server that is down is not asked as
// fast as it can refuse. Many goroutines may use it.
type backoff struct {
	row atomic.Int64 // groups that failed in a row
}

// count counts a group that failed, or one that did not.
func (f *backoff) count(failed bool) {
	if failed {
		f.row.Add(1)
	} else {
		f.row.Store(0)
	}
}

// wait waits if the last groups failed: longer, the more of them failed in a row.
func (f *backoff) wait(ctx context.Context) error {
	row := f.row.Load()
	if row == 0 {
		return nil
	}
	if !pause.For(ctx, min(pauseMost, pauseFirst<<min(row, 10))) {
		return context.Cause(ctx)
	}
	return nil
}
