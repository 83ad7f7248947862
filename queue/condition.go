package queue

import "time"

// A Condition is a store's health since it was opened.
type Condition struct {
	Damaged uint64 // damaged places in its files
	Cut     uint64 // unfinished writes cut off when it was opened; a crash leaves one at most
	Syncs   SyncTimes
}

// SyncTimes is a histogram of how long the disk took to make writes durable.
type SyncTimes struct {
	Counts [12]uint64 // syncs up to each of SyncBounds, then those above all
	Sum    time.Duration
}

// SyncBounds are the upper bounds of SyncTimes, ascending.
func SyncBounds() []time.Duration {
	const ms = time.Millisecond
	return []time.Duration{ms / 10, ms / 4, ms / 2, ms, 5 * ms / 2, 5 * ms, 10 * ms, 25 * ms, 100 * ms, 500 * ms, 2500 * ms}
}

// Condition returns the condition of the store. It is zero for stores that do not
// report any.
func (q *Queue) Condition() Condition {
	if s, ok := q.store.(interface{ Condition() Condition }); ok {
		return s.Condition()
	}
	return Condition{}
}
