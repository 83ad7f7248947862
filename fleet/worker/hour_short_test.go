//go:build !heavy

package worker_test

import "time"

// The size of an hour.
const (
	hourWorkers = 200
	hourDelay   = 6 * time.Minute // of a reply, at least
	hourSeeds   = 1
)
