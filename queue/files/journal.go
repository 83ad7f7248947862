package files

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/queue"
)

// A journal is a file of frames that grows at its end.
type journal struct {
	folder folder
	name   string
	f      file
	head   fileHead
	size   int64 // of what is kept
	err    error // why nothing more can be written; see mend
	buf    []byte
}

// makeJournal makes a file for frames, replacing any file of that name.
func makeJournal(in folder, name string, head fileHead) (j *journal, err error) {
	var salt [4]byte
	rand.Read(salt[:])
	head.salt = binary.LittleEndian.Uint32(salt[:])
	f, err := in.open(name)
	if err != nil {
		return nil, err
	}
	j = &journal{folder: in, name: name, f: f, head: head, size: fileHeadLen}
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt(head.encode(), 0)
	}
	if err == nil {
		err = errors.Join(f.Sync(), in.sync())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, spaceError(err)), f.Close())
	}
	return j, nil
}

// openJournal opens a file of frames and returns what it holds. A write that was torn
// is cut off.
func openJournal(in folder, name string, kind byte, deep bool) (j *journal, v survey, err error) {
	f, err := in.open(name)
	if err != nil {
		return nil, v, err
	}
	j = &journal{folder: in, name: name, f: f}
	if v, err = j.survey(kind, deep); err == nil && v.torn {
		err = f.Truncate(v.end)
	}
	if err == nil && deep { // what is believed from now on must be durable
		err = f.Sync()
	}
	if err != nil {
		return nil, v, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	j.size = v.end
	return j, v, nil
}

// errHeadless says that the machine or the process ended after a file was made and
// before its first bytes were kept.
var errHeadless = errors.New("is empty, or begins with zeros")

// survey reads what the file holds.
func (j *journal) survey(kind byte, deep bool) (v survey, err error) {
	size, err := j.f.Size()
	if err != nil {
		return v, err
	}
	if size < fileHeadLen {
		return v, errHeadless
	}
	if j.head, err = readFileHead(j.f, kind); err != nil {
		return v, err
	}
	return j.source(size).survey(deep)
}

// broken reports whether the file can no longer be written to.
func (j *journal) broken() bool { return j.err != nil }

func (j *journal) source(size int64) source { return source{j.f, size, j.head.salt} }

// joinBelow is the size in bytes below which payloads are copied, so that one call
// writes many.
const joinBelow = 16 << 10

// write appends frames, all or none, and returns when they are durable. Only one
// goroutine at a time may write.
func (j *journal) write(frames []frame) error {
	if j.err != nil {
		return fmt.Errorf("%s: %w: %w", j.name, queue.ErrUnreachable, j.err)
	}
	at, err := j.put(frames)
	if err == nil {
		err = j.f.Sync()
	}
	if err == nil {
		j.size = at
		return nil
	}
	err = fmt.Errorf("%s: %w", j.name, spaceError(err))
	if undo := j.undo(); undo != nil {
		j.err = errors.Join(err, undo)
		return fmt.Errorf("%w: %w", queue.ErrUncertain, j.err)
	}
	return err
}

// undo cuts off what was written and not confirmed.
func (j *journal) undo() error {
	if err := j.f.Truncate(j.size); err != nil {
		return err
	}
	return j.f.Sync()
}

// mend makes a broken file writable again, if possible.
func (j *journal) mend() error {
	if j.err == nil {
		return nil
	}
	if err := errors.Join(j.undo(), j.folder.sync()); err != nil {
		return fmt.Errorf("%s: %w: %w", j.name, queue.ErrUnreachable, err)
	}
	j.err = nil
	return nil
}

// put writes frames and returns where they end.
func (j *journal) put(frames []frame) (end int64, err error) {
	at, b := j.size, j.buf[:0]
	flush := func() {
		if err == nil && len(b) > 0 {
			_, err = j.f.WriteAt(b, at)
		}
		at += int64(len(b))
		b = b[:0]
	}
	for _, f := range frames {
		b = f.appendTo(b, j.size, j.head.salt)
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
