package procstat

import (
	"context"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// How often [Watch] looks, and each how many looks it counts files.
const (
	every      = 10 * time.Millisecond
	countEvery = 5
)

// Cancelled stands for a job that nobody waits for any more.
const Cancelled sandbox.End = "cancelled"

// Watch kills a job at its limits, until ended is closed. Look returns the limit that the job is
// beyond, if any; now and then it counts the files too. Kill may be called again.
func Watch(ctx context.Context, ended <-chan struct{}, look func(files bool) sandbox.End, kill func(sandbox.End)) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for n := 0; ; n++ {
		if why := look(n%countEvery == countEvery-1); why != "" {
			kill(why)
		}
		select {
		case <-ended:
			return
		case <-ctx.Done():
			kill(Cancelled)
			<-ended
			return
		case <-tick.C:
		}
	}
}
