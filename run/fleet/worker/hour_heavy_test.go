//go:build heavy

package worker_test

import (
	"testing"
	"time"
)

// The size of an hour.
const (
	hourWorkers = 200
	hourDelay   = time.Minute // of a reply, at least
	hourSeeds   = 3
)

// The real coordinator and real workers for a virtual hour in which workers die and freeze,
// answers are lost, the coordinator is killed and its disk fails and is full.
func TestAnHourOfFaultsLosesNothingAndDoublesNothing(t *testing.T) {
	for seed := range uint64(hourSeeds) {
		hour(t, seed, &site{delay: hourDelay}, hourWorkers)
	}
}
