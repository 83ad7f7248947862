package files

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// A journal is a file of frames that grows at its end.
type journal struct {
	site *site
	name string
	f    file
	head fileHead
	size atomic.Int64 // of what is kept, all of it durable
	err  error        // why nothing more can be written; see mend
	buf  []byte

	ahead    int64 // bytes for which the disk is asked beforehand
	reserved int64 // the file can grow to this size on a full disk, if the disk gave it
}

// newJournal makes an empty file for frames.
func newJournal(in *site, name string, next uint64) (*journal, error) {
	return makeJournal(in, name, fileHead{kindOf(name), in.found.firstSalt(name), next})
}

// makeJournal makes a file that holds the given frames, replacing any file of that name.
// All of it is durable when the journal is returned.
func makeJournal(in *site, name string, head fileHead, frames ...frame) (j *journal, err error) {
	f, err := in.folder.open(name)
	if err != nil {
		return nil, spaceError(err)
	}
	j = &journal{site: in, name: name, f: f, head: head}
	j.size.Store(fileHeadLen)
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt(head.encode(), 0)
	}
	end := int64(fileHeadLen)
	if err == nil {
		end, err = j.put(frames, false)
	}
	if err == nil {
		err = errors.Join(f.Sync(), in.folder.sync())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, spaceError(err)), f.Close())
	}
	j.size.Store(end)
	return j, nil
}

// renew makes a journal that takes the place of old, with the given frames alone. Its
// name is durable once the folder is synced; until then either of the two may be found.
func renew(old *journal, frames []frame) (*journal, error) {
	in := old.site
	head := old.head
	head.salt = in.found.nextSalt(head.salt)
	j, err := makeJournal(in, old.name+freshEnd, head, frames...)
	if err == nil {
		err = old.f.Hold() // it may still be read
	}
	if err == nil {
		err = in.folder.rename(j.name, old.name)
	}
	if err != nil {
		if j != nil {
			err = errors.Join(err, j.f.Close())
		}
		return nil, errors.Join(err, in.discard(old.name+freshEnd))
	}
	j.name = old.name
	j.f.Renamed(j.name)
	in.hold(j)
	return j, nil
}

// broken reports whether the file can no longer be written to.
func (j *journal) broken() bool { return j.err != nil }

// source is what is kept, to read.
func (j *journal) source() source {
	j.site.touch()
	size := j.size.Load()
	return source{j.f, size, j.head.salt, size}
}

// joinBelow is the size in bytes below which payloads are copied, so that one call
// writes many.
const joinBelow = 16 << 10

// write appends frames, all or none, and returns when they are durable. Only one
// goroutine at a time may write.
func (j *journal) write(frames []frame) error {
	if j.err != nil {
		return fmt.Errorf("%s: %w: %w", j.name, queue.ErrUnreachable, j.err)
	}
	j.reserve()
	at, err := j.put(frames, true)
	if err == nil {
		began := time.Now()
		err = j.f.Sync()
		j.site.syncs.add(time.Since(began))
	}
	if err == nil {
		j.size.Store(at)
		j.site.ends.note(j.head.kind, j.head.salt, at)
		j.site.touch()
		return nil
	}
	err = fmt.Errorf("%s: %w", j.name, spaceError(err))
	if undo := j.undo(); undo != nil {
		j.err = errors.Join(err, undo)
		return fmt.Errorf("%w: %w", queue.ErrUncertain, j.err)
	}
	return err
}

// reserve asks the disk for space that the file will need. It is no fault if there is
// none.
func (j *journal) reserve() {
	if size := j.size.Load(); j.ahead > 0 && size+j.ahead/2 > j.reserved {
		j.reserved = size + j.ahead
		_ = j.f.Reserve(j.reserved)
	}
}

// undo cuts off what was written and not confirmed, and what was reserved with it.
func (j *journal) undo() error {
	j.reserved = 0
	if err := j.f.Truncate(j.size.Load()); err != nil {
		return err
	}
	return j.f.Sync()
}

// mend makes a broken file writable again, if possible. It reads nothing.
func (j *journal) mend() error {
	if j.err == nil {
		return nil
	}
	if err := errors.Join(j.undo(), j.site.folder.sync()); err != nil {
		return fmt.Errorf("%s: %w: %w", j.name, queue.ErrUnreachable, err)
	}
	j.err = nil
	return nil
}

// put writes frames and returns where they end. If they are of one write, they may be
// torn together by a crash.
func (j *journal) put(frames []frame, together bool) (end int64, err error) {
	at, b := j.size.Load(), j.buf[:0]
	next, batch := at, at // where the next frame goes
	flush := func() {
		if err == nil && len(b) > 0 {
			_, err = j.f.WriteAt(b, at)
		}
		at += int64(len(b))
		b = b[:0]
	}
	for _, f := range frames {
		if !together {
			batch = next
		}
		b = f.appendTo(b, batch, j.head.salt)
		next += f.size()
		for _, p := range f.payload {
			if len(p) < joinBelow {
				b = append(b, p...)
				continue
			}
			flush()
			if err == nil {
				_, err = j.f.WriteAt(p, at)
			}
			at += int64(len(p))
		}
		if len(b) >= 1<<20 {
			flush()
		}
	}
	flush()
	if cap(b) <= 4<<20 {
		j.buf = b
	}
	return at, err
}
