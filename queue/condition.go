package queue

import "time"

// A Condition is what a store knows of its own health since it was opened.
type Condition struct {
	Damaged uint64 // places in its files that are not as they were written
	Cut     uint64 // unfinished writes that were cut off at the opening: a crash leaves one at most
	Syncs   SyncTimes
}

// SyncTimes count how long the disk took to make writes durable.
type SyncTimes struct {
	Counts [12]uint64 // of the syncs up to each of SyncBounds; the last: above all of them
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
