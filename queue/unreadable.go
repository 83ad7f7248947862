package queue

import (
	"errors"
	"time"
)

// An Unreadable is a group that is set aside because it cannot be read.
type Unreadable struct {
	Entry // only Seq and Bytes are certain if its index record cannot be read
	Why   error
	Again time.Time // when to try again; zero: never
}

// If the store cannot read a group, the queue tries again after a pause that doubles each time:
// the disk may have failed for a moment. It does not retry damaged groups.
const (
	asidePause = time.Minute
	asideMost  = 6 // how often the pause doubles
)

// OnUnreadable calls tell for every group that is set aside, each time, beginning with the
// present ones. tell must be quick, must not call the queue, and may be called by many
// goroutines. It replaces that of an earlier call.
func (q *Queue) OnUnreadable(tell func(Unreadable)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.onUnreadable = tell
	for _, a := range q.unreadable {
		tell(a)
	}
}

// setAside sets e aside, and reports whether it was in the queue.
func (x *index) setAside(e Entry, why error) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.unreadable[e.Seq]; ok {
		return true
	}
	if _, ok := x.find(e.Seq); !ok {
		return false
	}
	x.waiting.take([]uint64{e.Seq})
	delete(x.leased, e.Seq)
	a, tries := Unreadable{Entry: e, Why: why}, x.tries[e.Seq]
	if errors.Is(why, ErrUnreadable) {
		a.Again = time.Now().Add(asidePause << min(tries, asideMost))
		x.tries[e.Seq]++
		x.remind(a.Again)
	}
	if tries == 0 {
		x.stats.Corrupt++
	}
	x.exclude(a)
	return true
}

// exclude adds a to the groups set aside and reports it. x.mu is held.
func (x *index) exclude(a Unreadable) {
	x.unreadable[a.Seq] = a
	about := []any{"id", a.ID, "seq", a.Seq, "err", a.Why}
	if !a.Again.IsZero() {
		about = append(about, "again", a.Again)
	}
	x.log.Error("a group cannot be read and is set aside", about...)
	if x.onUnreadable != nil {
		x.onUnreadable(a)
	}
}

// again ends the setting aside of groups that are due for another try, and returns them. x.mu
// is held.
func (x *index) again(now time.Time) (due []Entry) {
	for seq, a := range x.unreadable {
		if a.Again.IsZero() {
			continue
		}
		if now.Before(a.Again) {
			x.remind(a.Again)
			continue
		}
		delete(x.unreadable, seq)
		due = append(due, a.Entry)
	}
	return due
}
