package queue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// storeFormat is the version of a queue's data in its store; see docs/formats/stream.md.
const storeFormat = 2

// formatKey is the state record of storeFormat. No user's key has a dot.
const formatKey = "queue.format"

// maxState bounds a state record, in bytes.
const maxState = 512 << 10

// The log is rewritten at the opening if it has more than tidyAbove records.
const (
	tidyAbove   = 256
	keysPerTidy = 256 // keys per new record, which bounds the cost of a damaged one
)

// load reads the store into the empty queue.
func (q *Queue) load(ctx context.Context) error {
	if err := q.checkFormat(ctx); err != nil {
		return err
	}
	h := newHistory(q.done)
	err := q.store.Replay(ctx, func(record []byte) error {
		r, err := decodeLog(record)
		if err != nil {
			return err
		}
		h.apply(r)
		return nil
	})
	if err != nil {
		return err
	}
	q.done = h.known
	if ahead := time.Until(time.UnixMilli(q.done.latest)); ahead > 24*time.Hour {
		q.log.Warn("the log was written by a clock ahead of this one: no ID is forgotten until this one catches up", "ahead", ahead)
	}
	present := make(map[uint64]struct{})
	var dark []Listed // numbers in unreadable parts
	last, err := q.store.List(ctx, func(l Listed) {
		if l.Err != nil {
			dark = append(dark, l)
			return
		}
		present[l.Seq] = struct{}{}
		if l.Void || h.done(l.Seq, l.Key) {
			q.garbage[l.Seq] = struct{}{}
			return
		}
		if _, twice := q.here[l.Key]; twice {
			q.dropOlder(l)
		}
		q.sort(l, h.freed)
	})
	if err != nil {
		return err
	}
	if s, ok := q.store.(interface{ End() uint64 }); ok { // the log knows the end only as of its last record
		h.last = max(h.last, s.End())
	}
	lost := q.hide(dark, h.missing(max(last, h.last), present))
	q.stats.Lost = h.lost + uint64(len(lost))
	q.last, q.noted = last, min(last, h.last)
	// A store that lost its end will reuse numbers in the log.
	damaged := len(lost) > 0 || h.last > last
	if damaged {
		q.log.Error("groups are missing: files or streams of the queue were damaged, or another program changed them", q.whereabouts(lost)...)
	}
	return q.tidy(ctx, h, damaged)
}

// hide sets those of the missing numbers aside that are in the unreadable parts of dark, and
// returns the others. At the next opening the disk may be able to read them.
func (q *Queue) hide(dark []Listed, missing []uint64) (lost []uint64) {
	var list []Unreadable
	for _, seq := range missing {
		at := slices.IndexFunc(dark, func(l Listed) bool { return l.From <= seq && seq <= l.Seq })
		if at < 0 {
			lost = append(lost, seq)
			continue
		}
		e := Entry{Seq: seq, ID: "unknown", EnvID: -1, Oldest: -1, anon: true}
		list = append(list, Unreadable{Entry: e, Why: dark[at].Err})
	}
	q.stats.Corrupt += uint64(len(list))
	q.exclude(list)
	return lost
}

// whereabouts describes missing groups for the log: their numbers and, if the store knows,
// the files that had them.
func (q *Queue) whereabouts(lost []uint64) []any {
	about := []any{"groups", len(lost)}
	if len(lost) == 0 {
		return about
	}
	about = append(about, "first", lost[0], "last", lost[len(lost)-1])
	s, ok := q.store.(interface {
		Holder(seq uint64) (name string, gone bool)
	})
	if !ok {
		return about
	}
	var names []string
	for _, seq := range lost {
		name, gone := s.Holder(seq)
		if gone {
			name += " (missing)"
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return append(about, "files", strings.Join(names, ", "))
}

// tidy shortens a long log, logs the rest of a damaged store, and frees done groups.
func (q *Queue) tidy(ctx context.Context, h *history, damaged bool) error {
	var fresh []uint64 // garbage in no log record
	for seq := range q.garbage {
		if _, gone := h.gone[seq]; !gone {
			fresh = append(fresh, seq)
		}
	}
	slices.Sort(fresh)
	noted, old, err := q.noted, q.done.old(), error(nil)
	q.noted = q.last
	switch {
	case old > 0, h.records > tidyAbove && h.records > 2*(q.done.count()/keysPerTidy):
		if err = q.store.Rewrite(ctx, q.checkpoint(old)); err == nil {
			q.done.drop(old)
		}
	case damaged:
		err = q.store.Append(ctx, q.present().encode())
	case len(fresh) > 0:
		err = q.store.Append(ctx, logRecord{Last: q.last, Gone: fresh}.encode())
	default:
		q.noted = noted
	}
	if errors.Is(err, ErrNoSpace) { // it can wait: a full store must open, or nobody could drain it
		q.log.Warn("the log could not be shortened", "err", err)
		for _, seq := range fresh { // without a log record, they would count as lost once deleted
			delete(q.garbage, seq)
		}
		q.noted, err = noted, nil
	}
	if err != nil {
		return err
	}
	q.free(ctx)
	return nil
}

// sort adds a listed group to the index, or sets it aside. It ends the hold on groups in
// loose.
func (q *Queue) sort(l Listed, loose map[uint64]struct{}) {
	q.last = max(q.last, l.Seq)
	e, c, err := entryOf(l)
	if _, ok := loose[l.Seq]; ok && e.Held() {
		e.hold = freed
	}
	if err != nil {
		q.here[l.Key] = unknownContent // the store refuses others of this key
		q.stats.Corrupt++
		q.exclude([]Unreadable{{Entry: e, Why: err}})
		return
	}
	q.enter(e, c)
}

// reread looks for groups that the store has, but could not confirm. Callers that waited for
// a reread that failed do not repeat it.
func (q *Queue) reread(ctx context.Context) error {
	began := time.Now()
	q.ops.Lock()
	defer q.ops.Unlock()
	q.mu.Lock()
	idle, failed, failure := q.closed || !q.unsure, q.failed, q.failure
	q.mu.Unlock()
	if idle {
		return nil
	}
	if failed.After(began) {
		return failure
	}
	err := q.lookAgain(ctx)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("rereading the store after a failure: %w", err)
		if errors.Is(err, ErrFenced) {
			q.fenced = err
		}
		if ctx.Err() == nil { // it concerns other callers too
			q.failed, q.failure = time.Now(), err
		}
		return err
	}
	q.unsure = false
	q.changed.Wake()
	return nil
}

// lookAgain adds the groups that the store has and the index lacks. q.ops is locked, but mu
// only at times: this may take long.
func (q *Queue) lookAgain(ctx context.Context) error {
	var voids []uint64
	last, err := q.store.List(ctx, func(l Listed) {
		if l.Err != nil { // known since the opening
			return
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		_, garbage := q.garbage[l.Seq]
		_, here := q.find(l.Seq)
		if garbage {
			return
		}
		if l.Void {
			voids = append(voids, l.Seq)
			return
		}
		if !q.known(l.Key) && !here {
			q.sort(l, nil)
		}
	})
	if err != nil && !errors.Is(err, ErrUnreadable) { // an unreadable body is known since the opening
		return err
	}
	if len(voids) == 0 {
		return nil
	}
	// Void numbers must not count as lost.
	if err := q.store.Append(ctx, logRecord{Last: last, Gone: voids}.encode()); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.last, q.noted = max(q.last, last), max(q.noted, last)
	for _, seq := range voids {
		q.garbage[seq] = struct{}{}
	}
	return nil
}

// forgetOld forgets old keys by rewriting the log without them: only then does a group of
// such a key count as new. If that fails, they stay known for now.
func (q *Queue) forgetOld(ctx context.Context) {
	q.ops.Lock()
	defer q.ops.Unlock()
	q.mu.Lock()
	n := q.done.old()
	if q.closed || q.unsure || n == 0 {
		q.mu.Unlock()
		return
	}
	records, last := q.checkpoint(n), q.last
	q.mu.Unlock() // nothing that happens without ops changes the log
	err := q.store.Rewrite(context.WithoutCancel(ctx), records)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.done.later()
		q.unsure = errors.Is(err, ErrUncertain) || errors.Is(err, ErrUnreachable)
		if errors.Is(err, ErrFenced) {
			q.fenced = err
		}
		q.log.Warn("IDs that are old enough could not be forgotten for now", "err", err)
		return
	}
	q.done.drop(n)
	q.noted = last
}

// checkFormat refuses a store that a newer program wrote, and marks a new one.
func (q *Queue) checkFormat(ctx context.Context) error {
	value, err := q.store.State(ctx, formatKey)
	if err != nil {
		return err
	}
	if value == nil {
		return q.store.SetStates(ctx, []State{{formatKey, []byte(strconv.Itoa(storeFormat))}})
	}
	v, err := strconv.Atoi(string(value))
	if err != nil {
		return fmt.Errorf("its format is %q, want a number: if another program wrote it to NATS, delete it with quintain hub queue repair", value)
	}
	if v > storeFormat {
		return fmt.Errorf("its format is %d, and this program knows %d: %w", v, storeFormat, ErrNewer)
	}
	if v < storeFormat {
		return fmt.Errorf("its format is %d of a development version, and this program reads %d", v, storeFormat)
	}
	return nil
}
