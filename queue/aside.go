package queue

import (
	"errors"
	"time"
)

// An outcast is a group that is set aside, since it cannot be read.
type outcast struct {
	Entry
	until time.Time // when it is tried again; zero: never
}

// A group that the store cannot read is tried again after the pause, which doubles each
// time: the disk may have failed for a moment. What it read, and was damaged, is not.
const (
	asidePause = time.Minute
	asideMost  = 6 // times that the pause doubles
)

// setAside takes e out of the groups that are handed out, if it is still there. why is
// the reason.
func (q *Queue) setAside(e Entry, why error) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, ok := q.aside[e.Seq]; ok {
		return true
	}
	if _, ok := q.find(e.Seq); !ok {
		return false
	}
	q.waiting.take([]uint64{e.Seq})
	delete(q.leased, e.Seq)
	out, tries := outcast{Entry: e}, q.tries[e.Seq]
	if errors.Is(why, ErrUnreadable) {
		out.until = time.Now().Add(asidePause << min(tries, asideMost))
		q.tries[e.Seq]++
		q.remind(out.until)
	}
	q.aside[e.Seq] = out
	if tries == 0 {
		q.stats.Corrupt++
	}
	q.log.Error("a group cannot be read and is set aside", "id", e.ID, "seq", e.Seq, "err", why, "again", out.until)
	return true
}

// retry lets groups wait again that were set aside and are to be tried again. b.mu is
// held.
func (b *books) retry(now time.Time) {
	for seq, e := range b.aside {
		switch {
		case e.until.IsZero():
		case now.Before(e.until):
			b.remind(e.until)
		default:
			delete(b.aside, seq)
			b.waiting.add(e.Entry)
			b.notify()
		}
	}
}
