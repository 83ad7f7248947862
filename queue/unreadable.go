package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

// An Unreadable is a group that is set aside because it cannot be read.
type Unreadable struct {
	Entry  // only Seq and Bytes are certain if its index record cannot be read
	Why    error
	Again  time.Time // when to try again; zero: at the next opening, or never
	Others int       // set aside together with it, when it is told

	untried bool // nobody tried to read it, because the disk could not read others
}

// If the store cannot read groups, the queue tries again later: the disk may have failed for a
// moment. It does not retry damaged groups.
var (
	asideTried   = pause.Backoff{First: time.Second, Most: 4096 * time.Second}
	asideUntried = pause.Backoff{First: time.Second, Most: 64 * time.Second}
)

// asideSoon is after how many failures the disk did not fail for a moment.
const asideSoon = 3

// OnUnreadable calls tell for every group that is set aside, each time, beginning with the
// present ones. Of groups set aside together because of one unreadable file, it tells the
// first. tell must be quick, must not call the queue, and may be called by many goroutines.
// It replaces that of an earlier call.
func (q *Queue) OnUnreadable(tell func(Unreadable)) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.onUnreadable = tell
	for _, a := range q.unreadable {
		tell(a)
	}
}

// Unreadable counts the groups set aside that the disk may soon be able to read: it failed to
// read some of them a few times, and others were not tried because of those. why is the reason
// of one of them.
func (q *Queue) Unreadable() (n Count, why error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.expire(time.Now())
	for _, a := range q.unreadable {
		if a.untried || !a.Again.IsZero() && q.tries[a.Seq] <= asideSoon {
			n.add(a.Entry, 1)
			why = a.Why
		}
	}
	return n, why
}

// failures are the groups that one call could not read.
type failures struct {
	mu   sync.Mutex
	list []failure
}

// A failure is a group that could not be read. Its neighbours, with numbers from one to
// another, were not tried.
type failure struct {
	Entry
	why      error
	from, to uint64
}

// add notes that e could not be read, now or again.
func (f *failures) add(e Entry, why error, again bool) {
	one := failure{e, why, e.Seq, e.Seq}
	if many, ok := errors.AsType[*UnreadableError](why); ok && again {
		one.from = many.From
	} else if ok {
		one.to = many.Through
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, one)
}

// near reports whether a group is not worth a try, because of a neighbour.
func (f *failures) near(seq uint64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.list, func(one failure) bool { return one.from <= seq && seq <= one.to })
}

// order returns the order in which to read entries, by their places. Those that were set aside
// before are last, beginning at place again, and backwards: if a part of a file is readable
// again, or always was, it is reached from both ends.
func (q *Queue) order(entries []Entry) (list []int, again int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	var old []int
	for i, e := range entries {
		if q.tries[e.Seq] > 0 {
			old = append(old, i)
		} else {
			list = append(list, i)
		}
	}
	slices.SortFunc(old, func(a, b int) int { return cmp.Compare(entries[b].Seq, entries[a].Seq) })
	return append(list, old...), len(list)
}

// setAside sets the groups aside that a read of entries has failed to read, and those that it
// did not try, with the waiting ones between them. It returns the error of the first; of a group
// that left the queue meanwhile, errGone.
func (q *Queue) setAside(entries []Entry, f *failures) (err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	slices.SortFunc(f.list, func(a, b failure) int { return cmp.Compare(a.Seq, b.Seq) })
	var list []Unreadable
	for _, one := range f.list {
		if _, ok := q.find(one.Seq); !ok {
			err = cmp.Or(err, fmt.Errorf("group %s: %w", one.ID, errGone))
			continue
		}
		if err == nil || errors.Is(err, errGone) {
			err = &CorruptError{Seq: one.Seq, ID: one.ID, Err: one.why}
		}
		if _, aside := q.unreadable[one.Seq]; aside {
			continue
		}
		a := q.unread(one.Entry, one.why, asideTried)
		if a.Again.IsZero() { // each damaged group has a line of its own
			q.exclude([]Unreadable{a})
			continue
		}
		list = append(append(list, a), q.around(one, entries)...)
	}
	q.exclude(list)
	return err
}

// around are the groups that one failure takes with it: the leased ones of entries, and waiting
// ones. x.mu is held.
func (x *index) around(one failure, entries []Entry) (list []Unreadable) {
	if one.from == one.to {
		return nil
	}
	also := x.waiting.between(one.from, one.to)
	for _, e := range entries {
		if l := x.leased[e.Seq]; l != nil && !l.busy && one.from <= e.Seq && e.Seq <= one.to {
			also = append(also, l.Entry)
		}
	}
	for _, e := range also {
		if _, aside := x.unreadable[e.Seq]; aside || e.Seq == one.Seq {
			continue
		}
		a := x.unread(e, one.why, asideUntried)
		a.untried = true
		x.unreadable[e.Seq] = a
		list = append(list, a)
	}
	return list
}

// unread makes e an unreadable group because of why, and counts that. x.mu is held.
func (x *index) unread(e Entry, why error, again pause.Backoff) Unreadable {
	a, tries := Unreadable{Entry: e, Why: why}, x.tries[e.Seq]
	if errors.Is(why, ErrUnreadable) {
		a.Again = time.Now().Add(again.After(tries + 1))
		x.tries[e.Seq]++
		x.remind(a.Again)
	}
	if tries == 0 {
		x.stats.Corrupt++
	}
	return a
}

// exclude sets groups aside, and reports the first of them; the log has no line if all of them
// were set aside before. x.mu is held.
func (x *index) exclude(list []Unreadable) {
	if len(list) == 0 {
		return
	}
	seqs := make([]uint64, len(list))
	for i, a := range list {
		seqs[i] = a.Seq
		delete(x.leased, a.Seq)
		x.unreadable[a.Seq] = a
	}
	x.waiting.take(seqs)
	first := list[0]
	about := []any{"id", first.ID, "seq", first.Seq, "err", first.Why}
	if !first.Again.IsZero() {
		about = append(about, "again", first.Again)
	}
	level := slog.LevelDebug
	if slices.ContainsFunc(list, func(a Unreadable) bool { return x.tries[a.Seq] <= 1 }) { // for the first time
		level = slog.LevelError
	}
	if first.Others = len(list) - 1; first.Others == 0 {
		x.log.Log(context.Background(), level, "a group cannot be read and is set aside", about...)
	} else {
		x.log.Log(context.Background(), level, "groups cannot be read and are set aside", append([]any{"groups", len(list)}, about...)...)
	}
	if x.onUnreadable != nil {
		x.onUnreadable(first)
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
