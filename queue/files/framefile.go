package files

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// A frameFile is a file of frames that grows at its end.
type frameFile struct {
	catalog *catalog
	name    string
	f       file
	head    fileHead
	size    atomic.Int64 // durable bytes
	err     error        // why it is broken; see mend
	buf     []byte
	gaps    []gap // damage, as reported at the opening

	ahead    int64 // bytes of disk space to reserve
	reserved int64 // size to which the file can grow on a full disk, if the disk can reserve
}

// newFrameFile makes an empty file for frames.
func newFrameFile(in *catalog, name string, next uint64) (*frameFile, error) {
	return makeFrameFile(in, name, fileHead{kindOf(name), in.found.firstSalt(name), next})
}

// makeFrameFile makes a durable file with the given frames, replacing any file of that name.
func makeFrameFile(in *catalog, name string, head fileHead, frames ...frame) (ff *frameFile, err error) {
	f, err := in.folder.open(name)
	if err != nil {
		return nil, spaceError(err)
	}
	ff = &frameFile{catalog: in, name: name, f: f, head: head}
	if err := ff.fill(frames); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, spaceError(err)), f.Close())
	}
	return ff, nil
}

// fill makes frames the durable content of a new file.
func (ff *frameFile) fill(frames []frame) error {
	ff.size.Store(fileHeadLen)
	if err := ff.f.Truncate(0); err != nil {
		return err
	}
	if _, err := ff.f.WriteAt(ff.head.encode(), 0); err != nil {
		return err
	}
	end, err := ff.put(frames, false)
	if err != nil {
		return err
	}
	ff.size.Store(end)
	return errors.Join(ff.f.Sync(), ff.catalog.folder.sync())
}

// renew replaces old with a file of only the given frames. Its name is durable once the
// folder is synced; until then either of the two may be found.
func renew(old *frameFile, frames []frame) (*frameFile, error) {
	in := old.catalog
	head := old.head
	head.salt = in.found.nextSalt(head.salt)
	ff, err := makeFrameFile(in, old.name+freshEnd, head, frames...)
	if err != nil {
		return nil, errors.Join(err, in.discard(old.name+freshEnd))
	}
	if err := ff.supplant(old); err != nil {
		return nil, errors.Join(err, ff.f.Close(), in.discard(old.name+freshEnd))
	}
	in.hold(ff)
	return ff, nil
}

// supplant takes the name of old, which may still be read.
func (ff *frameFile) supplant(old *frameFile) error {
	if err := old.f.Hold(); err != nil {
		return err
	}
	if err := ff.catalog.folder.rename(ff.name, old.name); err != nil {
		return err
	}
	ff.name = old.name
	ff.f.Renamed(ff.name)
	return nil
}

// broken reports whether the file can no longer be written.
func (ff *frameFile) broken() bool { return ff.err != nil }

// source is the durable part, to read.
func (ff *frameFile) source() source {
	ff.catalog.touch()
	size := ff.size.Load()
	return source{ff.f, size, ff.head.salt, size}
}

// worse is the reason if the disk cannot read a part of the file that it could read at the
// opening, or nil.
func (ff *frameFile) worse(v scan) error {
	for _, g := range v.gaps {
		known := func(k gap) bool { return k.from <= g.from && g.to <= k.to }
		if g.why != nil && !slices.ContainsFunc(ff.gaps, known) {
			return g.why
		}
	}
	return nil
}

// joinBelow is the size in bytes below which payloads are copied into one write.
const joinBelow = 16 << 10

// write appends frames, all or none, and returns when they are durable. One goroutine at a
// time may write.
func (ff *frameFile) write(frames []frame) error {
	if ff.err != nil {
		return fmt.Errorf("%s: %w: %w", ff.name, queue.ErrUnreachable, ff.err)
	}
	ff.reserve()
	at, err := ff.put(frames, true)
	if err != nil {
		return ff.failed(err)
	}
	began := time.Now()
	err = ff.f.Sync()
	ff.catalog.syncs.add(time.Since(began))
	if err != nil {
		return ff.failed(err)
	}
	ff.size.Store(at)
	ff.catalog.ends.note(ff.head.kind, ff.head.salt, at)
	ff.catalog.touch()
	return nil
}

// failed undoes a write that failed with err. If it cannot, the file is broken.
func (ff *frameFile) failed(err error) error {
	err = fmt.Errorf("%s: %w", ff.name, spaceError(err))
	if undo := ff.undo(); undo != nil {
		ff.err = errors.Join(err, undo)
		return fmt.Errorf("%w: %w", queue.ErrUncertain, ff.err)
	}
	return err
}

// reserve reserves disk space for the file to grow, if possible.
func (ff *frameFile) reserve() {
	if size := ff.size.Load(); ff.ahead > 0 && size+ff.ahead/2 > ff.reserved {
		ff.reserved = size + ff.ahead
		_ = ff.f.Reserve(ff.reserved)
	}
}

// undo cuts off an unconfirmed write, and its reservation.
func (ff *frameFile) undo() error {
	ff.reserved = 0
	if err := ff.f.Truncate(ff.size.Load()); err != nil {
		return err
	}
	return ff.f.Sync()
}

// mend makes a broken file writable again, if possible. It reads nothing.
func (ff *frameFile) mend() error {
	if ff.err == nil {
		return nil
	}
	if err := errors.Join(ff.undo(), ff.catalog.folder.sync()); err != nil {
		return fmt.Errorf("%s: %w: %w", ff.name, queue.ErrUnreachable, err)
	}
	ff.err = nil
	return nil
}

// put writes frames and returns where they end. Frames of one write (together) may be torn
// together by a crash.
func (ff *frameFile) put(frames []frame, together bool) (end int64, err error) {
	at, b := ff.size.Load(), ff.buf[:0]
	next, batch := at, at // where the next frame goes
	flush := func() {
		if err == nil && len(b) > 0 {
			_, err = ff.f.WriteAt(b, at)
		}
		at += int64(len(b))
		b = b[:0]
	}
	for _, f := range frames {
		if !together {
			batch = next
		}
		b = f.appendTo(b, batch, ff.head.salt)
		next += f.size()
		for _, p := range f.payload {
			if len(p) < joinBelow {
				b = append(b, p...)
				continue
			}
			flush()
			if err == nil {
				_, err = ff.f.WriteAt(p, at)
			}
			at += int64(len(p))
		}
		if len(b) >= 1<<20 {
			flush()
		}
	}
	flush()
	if cap(b) <= 4<<20 {
		ff.buf = b
	}
	return at, err
}
