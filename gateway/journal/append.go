package journal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// ErrTooLarge says that records are longer than the journal takes.
var ErrTooLarge = errors.New("too long to be kept")

var errClosed = fmt.Errorf("session journal: %w", os.ErrClosed)

// maxAppend bounds the bytes of one append.
const maxAppend = 1 << 30

// An entry is an append, or what forgets a session, on its way to the disk.
type entry struct {
	heads []head
	data  [][]byte
	size  int64
	err   error
	done  chan struct{} // closed when err is known; nil: nobody waits
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
		h := head{session: r.Session, kind: r.Kind, flags: flagMore, data: uint32(len(r.Data)), sum: sumOf(r.Data)}
		if i == len(records)-1 {
			h.flags = 0
		}
		e.heads, e.data = append(e.heads, h), append(e.data, r.Data)
		e.size += h.size()
	}
	if e.size > maxAppend {
		return nil, fmt.Errorf("%d records together have %d bytes, at most %d are allowed: %w", len(records), e.size, maxAppend, ErrTooLarge)
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
	h := head{session: session, flags: flagForget}
	return j.enqueue(&entry{heads: []head{h}, data: [][]byte{nil}, size: h.size()})
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
	s := j.segments[len(j.segments)-1]
	for _, l := range list {
		j.enter(s, l)
		s.size = l.at + l.size()
	}
}

// write makes entries durable, in a new segment if the open one is full or broken. The caller has
// the turn.
func (j *Journal) write(batch []*entry, size int64) ([]located, error) {
	s := j.segments[len(j.segments)-1]
	if j.broken || s.size > segmentHead && s.size+size > j.most {
		if err := j.roll(); err != nil {
			return nil, err
		}
		s = j.segments[len(j.segments)-1]
	}
	p := &pen{f: s.f, at: s.size, b: j.buf}
	var list []located
	for _, e := range batch {
		for i, h := range e.heads {
			h.batch = uint32(s.size)
			list = append(list, located{h, p.end()})
			p.frame(h, s.salt, e.data[i])
		}
	}
	err := p.flush()
	if j.buf = p.b; cap(j.buf) > 4*penLen {
		j.buf = nil
	}
	if err != nil {
		j.broken = j.cutBack(s) != nil
		return nil, fmt.Errorf("%s: %w", s.name(), err)
	}
	j.prepare(s, p.at, size)
	j.syncs.Add(1)
	if err := s.f.SyncData(); err != nil {
		// The system may have dropped bytes that it could not write, and would say nothing the next time.
		j.broken = true
		_ = j.cutBack(s) // the manifest that lists the next segment says where this one ends
		return nil, fmt.Errorf("%s: %w", s.name(), err)
	}
	j.mark.note(s.salt, list...)
	return list, nil
}

// prepare writes zeros after a write of a size that reached beyond those there were: the next writes
// then do not change the size of the file, and their syncs write less. Nobody needs the zeros: the
// segment does without if the disk has no room. The caller has the turn.
func (j *Journal) prepare(s *segment, end, size int64) {
	most := min(end+j.ahead, j.most)
	if s.plain || end <= s.zeros || size > j.ahead/4 || end >= most {
		return
	}
	p := &pen{f: s.f, at: end}
	zeros := make([]byte, min(windowLen, most-end))
	for p.err == nil && p.at < most {
		p.write(zeros[:min(int64(len(zeros)), most-p.at)])
	}
	if s.plain = p.err != nil; s.plain {
		most = end
		_ = s.f.Truncate(end) // they may stay, being zeros
	}
	j.setZeros(s, most)
}

func (j *Journal) setZeros(s *segment, end int64) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s.zeros = end
}

// cutBack cuts off what does not count. The caller has the turn.
func (j *Journal) cutBack(s *segment) error {
	j.setZeros(s, 0)
	return s.f.Truncate(s.size)
}

// roll begins a new segment. The caller has the turn.
func (j *Journal) roll() error {
	if j.spare == nil {
		var err error
		if j.spare, err = j.begin(); err != nil {
			return err
		}
	}
	after := append(slices.Clone(j.segments), j.spare)
	if err := j.publish(after); err != nil {
		return err
	}
	_ = j.cutBack(j.segments[len(j.segments)-1]) // its end is in the manifest: the rest only takes room
	j.mu.Lock()
	j.segments = after
	j.mu.Unlock()
	j.spare, j.broken = nil, false
	j.mark.begin(after[len(after)-1])
	return nil
}

// A pen writes frames to a file, in pieces of about a mebibyte.
type pen struct {
	f   file
	at  int64 // offset of b
	b   []byte
	err error
}

const (
	penLen    = 1 << 20
	joinBelow = 16 << 10 // data of fewer bytes are copied
)

// end is the offset of the next frame.
func (p *pen) end() int64 { return p.at + int64(len(p.b)) }

func (p *pen) frame(h head, salt uint32, data []byte) {
	p.b = h.appendTo(p.b, salt, p.end())
	if len(data) < joinBelow {
		p.b = append(p.b, data...)
	} else {
		p.put()
		p.write(data)
	}
	if len(p.b) >= penLen {
		p.put()
	}
}

func (p *pen) put() {
	p.write(p.b)
	p.b = p.b[:0]
}

func (p *pen) write(b []byte) {
	if p.err == nil && len(b) > 0 {
		_, p.err = p.f.WriteAt(b, p.at)
	}
	p.at += int64(len(b))
}

// flush writes the rest, and returns the first error.
func (p *pen) flush() error {
	p.put()
	return p.err
}
