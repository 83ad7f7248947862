package run

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

// A backoff slows a run down while its policy fails: a server that is down is not asked as
// fast as it can refuse. Many goroutines may use it.
type backoff struct {
	free  int64 // groups that may fail in a row without a pause
	pause pause.Backoff
	row   atomic.Int64 // groups that failed in a row
}

// newBackoffs returns the backoffs for failures of the policy; for too long prompts, which are
// refused at once; and for groups that are too old when they are made.
func newBackoffs() (faults, refusals, aged *backoff) {
	pauses := func(most time.Duration) pause.Backoff {
		return pause.Backoff{First: 100 * time.Millisecond, Most: most}
	}
	return &backoff{pause: pauses(10 * time.Second)}, &backoff{free: 100, pause: pauses(time.Second)}, &backoff{free: 100, pause: pauses(time.Second)}
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
	row := f.row.Load() - f.free
	if row <= 0 || pause.For(ctx, f.pause.After(int(row))) {
		return nil
	}
	return context.Cause(ctx)
}
