package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/wal"
)

// ErrTooLarge says that records are longer than the journal takes.
var ErrTooLarge = errors.New("too long to be kept")

var errClosed = fmt.Errorf("session journal: %w", os.ErrClosed)

// maxAppend bounds the bytes of one append.
const maxAppend = 1 << 30

// An entry is an append, or what forgets a session, on its way to the disk.
type entry struct {
	heads  []head
	frames []wal.Frame
	size   int64
	err    error
	done   chan struct{} // closed when err is known; nil: nobody waits
}

// add adds a frame.
func (e *entry) add(h head, data []byte) {
	f := wal.NewFrame(h.encode(), data)
	e.heads, e.frames, e.size = append(e.heads, h), append(e.frames, f), e.size+f.Size()
}

// Append adds records, all or none, and returns once they are on disk, for good. The records that
// many goroutines append at once share a write and an fsync. An error means that they are not
// there; [ErrFull] and others may pass, so a later Append may succeed. Only if the process ends
// right after an error, on a disk that could not take back what it had written, may they come back.
// The journal does not keep or change the data. When ctx ends, records not yet being written
// are not added.
func (j *Journal) Append(ctx context.Context, records ...Record) error {
	if len(records) == 0 {
		return ctx.Err()
	}
	e, err := newEntry(records)
	if err != nil {
		return fmt.Errorf("session journal: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := j.enqueue(e); err != nil {
		return err
	}
	for {
		select {
		case <-e.done:
			return e.err
		case j.turn <- struct{}{}:
			_, _ = j.commit() // e has its error
			<-j.turn
		case <-ctx.Done():
			if j.withdraw(e) {
				return ctx.Err()
			}
			<-e.done
			return e.err
		}
	}
}

// newEntry checks records, and computes their sums.
func newEntry(records []Record) (*entry, error) {
	e := &entry{done: make(chan struct{})}
	for i, r := range records {
		if n := len(r.Session); n == 0 || n > MaxSession {
			return nil, fmt.Errorf("the name of a session has %d bytes, want 1 to %d", n, MaxSession)
		}
		if len(r.Data) > MaxData {
			return nil, fmt.Errorf("a record of %s has %d bytes, at most %d are allowed: %w", r.Session, len(r.Data), MaxData, ErrTooLarge)
		}
		h := head{session: r.Session, kind: r.Kind, flags: flagMore}
		if i == len(records)-1 {
			h.flags = 0
		}
		e.add(h, r.Data)
	}
	if e.size > maxAppend {
		return nil, fmt.Errorf("%s together have %d bytes, at most %d are allowed: %w", stats.Count(len(records), "record"), e.size, maxAppend, ErrTooLarge)
	}
	return e, nil
}

// Forget says that the records of a session so far are not needed any more. That is written with
// the next Append, or by Run within a second: after a crash before that they come back, all of
// them.
func (j *Journal) Forget(session string) error {
	if n := len(session); n == 0 || n > MaxSession {
		return fmt.Errorf("session journal: the name of a session has %d bytes, want 1 to %d", n, MaxSession)
	}
	e := &entry{}
	e.add(head{session: session, flags: flagForget}, nil)
	return j.enqueue(e)
}

func (j *Journal) enqueue(e *entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return errClosed
	}
	j.waiting = append(j.waiting, e)
	return nil
}

// withdraw takes an entry back, unless it is being written.
func (j *Journal) withdraw(e *entry) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	before := len(j.waiting)
	j.waiting = slices.DeleteFunc(j.waiting, func(other *entry) bool { return other == e })
	return len(j.waiting) < before
}

// take returns the next entries to write together, up to the size of a segment.
func (j *Journal) take() (batch []*entry, size int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0
	for _, e := range j.waiting {
		if n > 0 && size+e.size > j.most {
			break
		}
		size += e.size
		n++
	}
	batch = slices.Clone(j.waiting[:n])
	j.waiting = slices.Delete(j.waiting, 0, n)
	return batch, size
}

// commit writes the next entries, and tells those who wait. There were none if wrote is false. The
// caller has the turn.
func (j *Journal) commit() (wrote bool, err error) {
	batch, size := j.take()
	if len(batch) == 0 {
		return false, nil
	}
	list, err := j.write(batch, size)
	if err != nil {
		err = fmt.Errorf("session journal: %w", spaceError(err))
	}
	j.settle(batch, list, err)
	for _, e := range batch {
		if e.done != nil {
			e.err = err
			close(e.done)
		}
	}
	return err == nil, err
}

// flush writes all entries, or returns why it cannot. The caller has the turn.
func (j *Journal) flush() error {
	for {
		if wrote, err := j.commit(); err != nil || !wrote {
			return err
		}
	}
}

// settle enters written frames, or puts back what is still to be forgotten.
func (j *Journal) settle(batch []*entry, list []located, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err != nil {
		batch = slices.DeleteFunc(slices.Clone(batch), func(e *entry) bool { return e.done != nil })
		j.waiting = append(batch, j.waiting...)
		return
	}
	for _, l := range list {
		j.enter(j.last(), l)
	}
}

// write makes entries durable, in a new segment if the open one is full or broken. The caller has
// the turn.
func (j *Journal) write(batch []*entry, size int64) ([]located, error) {
	s := j.last()
	if s.Broken() != nil || s.Size() > wal.HeadLen && s.Size()+size > j.most {
		if err := j.roll(); err != nil {
			return nil, err
		}
		s = j.last()
	}
	frames, ends := j.frames[:0], j.ends[:0]
	var list []located
	at := s.Size()
	for _, e := range batch {
		frames = append(frames, e.frames...)
		for i, h := range e.heads {
			l := located{h, at, e.frames[i].Size()}
			at += l.size
			list, ends = append(list, l), append(ends, newSlot(s, at, h.session))
		}
	}
	defer func() {
		clear(frames) // they hold the data
		j.frames, j.ends = frames, ends
	}()
	// What a broken segment could not take back does not count: the manifest that lists the next one
	// says where it ends.
	if err := s.Append(frames); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name(), err)
	}
	j.syncs.Add(1)
	j.mark.Note(ends...)
	return list, nil
}

// roll begins a new segment. The caller has the turn.
func (j *Journal) roll() error {
	if j.spare == nil {
		var err error
		if j.spare, err = j.begin(nil); err != nil {
			return err
		}
	}
	after := append(slices.Clone(j.segments), j.spare)
	if err := j.publish(after); err != nil {
		return err
	}
	_ = j.last().Cut() // its end is in the manifest: the rest only takes room
	j.mu.Lock()
	j.segments = after
	j.mu.Unlock()
	j.spare = nil
	j.mark.Keep(j.last().mark())
	return nil
}
