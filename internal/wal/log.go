package wal

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"sync/atomic"
	"time"
)

// A Gap is a part of a file without an intact frame.
type Gap struct {
	From, To int64
	Why      error // not nil: the disk cannot read some of it
}

// A Log is a file of frames that grows at its end. One goroutine at a time may write; others may
// read meanwhile what is durable.
type Log struct {
	File File
	Head Head

	// Synced, if not nil, hears how long the disk took to make an append durable.
	Synced func(time.Duration)

	ahead, most int64 // see Prepare
	size        atomic.Int64
	zeros       atomic.Int64 // the end of the zeros written ahead, if above size
	err         error        // why it takes nothing
	buf         []byte
}

// Create makes head and frames the durable content of a file. The caller makes its name durable.
func Create(f File, head Head, frames iter.Seq[Frame]) (*Log, error) {
	l := &Log{File: f, Head: head}
	l.size.Store(HeadLen)
	if err := f.Truncate(0); err != nil {
		return nil, err
	}
	if _, err := f.WriteAt(head.Encode(), 0); err != nil {
		return nil, err
	}
	p := l.pen()
	for f := range frames {
		p.frame(&f, p.end())
	}
	end, err := l.put(&p)
	if err != nil {
		return nil, err
	}
	l.size.Store(end)
	return l, f.Sync()
}

// Resume returns the log in a file whose frames end at an offset.
func Resume(f File, head Head, end int64) *Log {
	l := &Log{File: f, Head: head}
	l.size.Store(end)
	return l
}

// Size is the number of durable bytes.
func (l *Log) Size() int64 { return l.size.Load() }

// Source is the durable part, to read.
func (l *Log) Source() Source { return Source{l.File, l.Size(), l.Head.Salt, l.Size()} }

// Broken is why the log takes nothing, or nil.
func (l *Log) Broken() error { return l.err }

// Break makes the log take nothing until [Log.Mend], because of err.
func (l *Log) Break(err error) { l.err = err }

// ErrUncertain says that nobody knows whether frames were appended.
var ErrUncertain = errors.New("it is not known whether it was kept")

// Append appends frames, all or none, and returns when they are durable. If it can neither write
// them nor take back what it wrote, the error is [ErrUncertain], and the log is broken.
func (l *Log) Append(frames []Frame) error {
	if l.err != nil {
		return l.err
	}
	p := l.pen()
	for i := range frames {
		p.frame(&frames[i], l.Size())
	}
	at, err := l.put(&p)
	if err != nil {
		return l.failed(err)
	}
	l.writeAhead(at)
	began := time.Now()
	err = l.File.Sync()
	if l.Synced != nil {
		l.Synced(time.Since(began))
	}
	if err != nil {
		return l.failed(err)
	}
	l.size.Store(at)
	return nil
}

// failed undoes a write that failed with err. If it cannot, the log is broken.
func (l *Log) failed(err error) error {
	if undo := l.Cut(); undo != nil {
		l.err = errors.Join(err, undo)
		return fmt.Errorf("%w: %w", ErrUncertain, l.err)
	}
	return err
}

// Cut cuts off what does not count: an unconfirmed write, and zeros.
func (l *Log) Cut() error {
	l.zeros.Store(0)
	if err := l.File.Truncate(l.Size()); err != nil {
		return err
	}
	return l.File.Sync()
}

// Mend makes a broken log take frames again, if possible. It reads nothing.
func (l *Log) Mend() error {
	if l.err == nil {
		return nil
	}
	if err := l.Cut(); err != nil {
		return err
	}
	l.err = nil
	return nil
}

// joinBelow is the size in bytes below which payloads are copied into one write.
const joinBelow = 16 << 10

// A pen writes frames to a file, in pieces of about a mebibyte.
type pen struct {
	f    io.WriterAt
	salt uint32
	at   int64 // offset of b
	b    []byte
	err  error
}

// pen writes at the end of the log.
func (l *Log) pen() pen { return pen{f: l.File, salt: l.Head.Salt, at: l.Size(), b: l.buf[:0]} }

// end is the offset of the next frame.
func (p *pen) end() int64 { return p.at + int64(len(p.b)) }

// frame writes a frame. Frames of one batch may be torn together by a crash.
func (p *pen) frame(f *Frame, batch int64) {
	p.b = f.AppendTo(p.b, p.end(), batch, p.salt)
	for _, piece := range f.Payload {
		if len(piece) < joinBelow {
			p.b = append(p.b, piece...)
			continue
		}
		p.flush()
		p.write(piece)
	}
	if len(p.b) >= 1<<20 {
		p.flush()
	}
}

// flush writes the pieces that were collected.
func (p *pen) flush() {
	p.write(p.b)
	p.b = p.b[:0]
}

func (p *pen) write(b []byte) {
	if p.err == nil && len(b) > 0 {
		_, p.err = p.f.WriteAt(b, p.at)
	}
	p.at += int64(len(b))
}

// put writes the rest, and returns the end.
func (l *Log) put(p *pen) (end int64, err error) {
	p.flush()
	if cap(p.b) <= 4<<20 {
		l.buf = p.b
	}
	return p.at, p.err
}

// Prepare has appends write up to so many bytes of zeros ahead, as far as an offset of the file:
// the next ones then do not change its size, and their syncs write less. Nobody needs the zeros: a
// log does without if the disk has no room, and [Log.Cut] takes them away.
func (l *Log) Prepare(ahead, most int64) { l.ahead, l.most = ahead, most }

// writeAhead writes zeros after a write that ends at an offset beyond those there were.
func (l *Log) writeAhead(end int64) {
	most := min(end+l.ahead, l.most)
	if end <= l.zeros.Load() || end-l.Size() > l.ahead/4 || end >= most {
		return
	}
	p := pen{f: l.File, at: end}
	zeros := make([]byte, min(64<<10, most-end))
	for p.err == nil && p.at < most {
		p.write(zeros[:min(int64(len(zeros)), most-p.at)])
	}
	if p.err != nil {
		l.ahead, most = 0, end
		_ = l.File.Truncate(end) // they may stay, being zeros
	}
	l.zeros.Store(most)
}

// Taken is how many bytes the file has, with zeros written ahead.
func (l *Log) Taken() int64 { return max(l.Size(), l.zeros.Load()) }
