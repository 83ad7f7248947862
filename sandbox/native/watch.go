package native

import (
	"context"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// How often [watchUsage] looks: mostly, and at a job that comes near a limit which it may pass in a moment.
const (
	every = 10 * time.Millisecond
	soon  = 2 * time.Millisecond
	rare  = 100 * time.Millisecond // at a job that lasts
)

// cancelled stands for a job that nobody waits for any more.
const cancelled sandbox.End = "cancelled"

// watchUsage kills a job at its limits, at which it looks after mostly, until ended is closed. Look returns the limit that the job is
// beyond, if any, and whether it comes near one. Kill may be called again.
func watchUsage(ctx context.Context, ended <-chan struct{}, mostly time.Duration, look func() (why sandbox.End, near bool), kill func(sandbox.End)) {
	tick := time.NewTimer(mostly)
	defer tick.Stop()
	for {
		why, near := look()
		if why != "" {
			kill(why)
		}
		if near {
			tick.Reset(soon)
		} else {
			tick.Reset(mostly)
		}
		select {
		case <-ended:
			return
		case <-ctx.Done():
			kill(cancelled)
			<-ended
			return
		case <-tick.C:
		}
	}
}
