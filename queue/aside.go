package queue

import (
	"errors"
	"time"
)

// An Aside is a group that is set aside, since it cannot be read.
type Aside struct {
	Entry           // of which only Seq and Bytes are certain if its index record cannot be read
	Why   error     // it cannot be read
	Again time.Time // when it is tried again; zero: never
}

// A group that the store cannot read is tried again after the pause, which doubles each
// time: the disk may have failed for a moment. What it read, and was damaged, is not.
const (
	asidePause = time.Minute
	asideMost  = 6 // times that the pause doubles
)

// OnAside has tell called for every group that is set aside, each time, beginning with
// those that are now. tell must be quick, must not call the queue, and may be called by
// many goroutines. It takes the place of that of an earlier call.
func (q *Queue) OnAside(tell func(Aside)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.onAside = tell
	for _, a := range q.aside {
		tell(a)
	}
}

// setAside takes e out of the groups that are handed out, if it is still there. why is
// the reason.
func (b *books) setAside(e Entry, why error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.aside[e.Seq]; ok {
		return true
	}
	if _, ok := b.find(e.Seq); !ok {
		return false
	}
	b.waiting.take([]uint64{e.Seq})
	delete(b.leased, e.Seq)
	a, tries := Aside{Entry: e, Why: why}, b.tries[e.Seq]
	if errors.Is(why, ErrUnreadable) {
		a.Again = time.Now().Add(asidePause << min(tries, asideMost))
		b.tries[e.Seq]++
		b.remind(a.Again)
	}
	if tries == 0 {
		b.stats.Corrupt++
	}
	b.exclude(a)
	return true
}

// exclude makes a one of the groups that are set aside, and tells so. b.mu is held.
func (b *books) exclude(a Aside) {
	b.aside[a.Seq] = a
	b.log.Error("a group cannot be read and is set aside", "id", a.ID, "seq", a.Seq, "err", a.Why, "again", a.Again)
	if b.onAside != nil {
		b.onAside(a)
	}
}

// retry lets groups wait again that were set aside and are to be tried again. b.mu is
// held.
func (b *books) retry(now time.Time) {
	for seq, a := range b.aside {
		switch {
		case a.Again.IsZero():
		case now.Before(a.Again):
			b.remind(a.Again)
		default:
			delete(b.aside, seq)
			b.waiting.add(a.Entry)
			b.notify()
		}
	}
}
