package files

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// A frameFile is a log of the store.
type frameFile struct {
	*wal.Log
	catalog *catalog
	name    string
	gaps    []wal.Gap // damage, as reported at the opening

	ahead    int64 // bytes of disk space to reserve
	reserved int64 // size to which the file can grow on a full disk, if the disk can reserve
}

// newFrameFile makes an empty file for frames.
func newFrameFile(in *catalog, name string, next uint64) (*frameFile, error) {
	return makeFrameFile(in, name, wal.Head{Kind: kindOf(name), Salt: in.found.firstSalt(name), Number: next})
}

// makeFrameFile makes a durable file with the given frames, replacing any file of that name.
func makeFrameFile(in *catalog, name string, head wal.Head, frames ...wal.Frame) (ff *frameFile, err error) {
	f, err := in.folder.Open(name)
	if err != nil {
		return nil, spaceError(err)
	}
	log, err := wal.Create(f, head, slices.Values(frames))
	if err = errors.Join(err, in.folder.Sync()); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, spaceError(err)), f.Close())
	}
	return in.frameFile(name, log), nil
}

// frameFile returns the file of a log.
func (c *catalog) frameFile(name string, log *wal.Log) *frameFile {
	log.Synced = c.syncs.add
	return &frameFile{Log: log, catalog: c, name: name}
}

// renew replaces old with a file of only the given frames. Its name is durable once the
// folder is synced; until then either of the two may be found.
func renew(old *frameFile, frames []wal.Frame) (*frameFile, error) {
	in := old.catalog
	head := old.Head
	head.Salt = in.found.nextSalt(head.Salt)
	ff, err := makeFrameFile(in, old.name+wal.FreshEnd, head, frames...)
	if err != nil {
		return nil, errors.Join(err, in.discard(old.name+wal.FreshEnd))
	}
	if err := ff.supplant(old); err != nil {
		return nil, errors.Join(err, ff.File.Close(), in.discard(old.name+wal.FreshEnd))
	}
	in.hold(ff)
	return ff, nil
}

// supplant takes the name of old, which may still be read.
func (ff *frameFile) supplant(old *frameFile) error {
	if err := old.File.Hold(); err != nil {
		return err
	}
	if err := ff.catalog.folder.Rename(ff.name, old.name); err != nil {
		return err
	}
	ff.name = old.name
	ff.File.Renamed(ff.name)
	return nil
}

// broken reports whether the file can no longer be written.
func (ff *frameFile) broken() bool { return ff.Broken() != nil }

// source is the durable part, to read.
func (ff *frameFile) source() wal.Source {
	ff.catalog.touch()
	return ff.Source()
}

// worse is the reason if the disk cannot read a part of the file that it could read at the
// opening, or nil.
func (ff *frameFile) worse(v wal.Scan) error {
	for _, g := range v.Gaps {
		known := func(k wal.Gap) bool { return k.From <= g.From && g.To <= k.To }
		if g.Why != nil && !slices.ContainsFunc(ff.gaps, known) {
			return g.Why
		}
	}
	return nil
}

// write appends frames, all or none, and returns when they are durable. One goroutine at a
// time may write.
func (ff *frameFile) write(frames []wal.Frame) error {
	if err := ff.Broken(); err != nil {
		return fmt.Errorf("%s: %w: %w", ff.name, queue.ErrUnreachable, err)
	}
	ff.reserve()
	if err := ff.Append(frames); err != nil {
		ff.reserved = 0
		if err = fmt.Errorf("%s: %w", ff.name, spaceError(err)); errors.Is(err, wal.ErrUncertain) {
			err = fmt.Errorf("%w: %w", queue.ErrUncertain, err)
		}
		return err
	}
	ff.catalog.ends.note(ff.Head.Kind, ff.Head.Salt, ff.Size())
	ff.catalog.touch()
	return nil
}

// reserve reserves disk space for the file to grow, if possible.
func (ff *frameFile) reserve() {
	if size := ff.Size(); ff.ahead > 0 && size+ff.ahead/2 > ff.reserved {
		ff.reserved = size + ff.ahead
		_ = ff.File.Reserve(ff.reserved)
	}
}

// mend makes a broken file writable again, if possible. It reads nothing.
func (ff *frameFile) mend() error {
	if !ff.broken() {
		return nil
	}
	ff.reserved = 0
	err := ff.catalog.folder.Sync()
	if err == nil {
		err = ff.Mend()
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %w", ff.name, queue.ErrUnreachable, err)
	}
	return nil
}

// spaceError turns err into a [queue.ErrNoSpace] if the disk is full, or a quota or a limit
// on file sizes is reached.
func spaceError(err error) error {
	if wal.NoRoom(err) {
		return fmt.Errorf("%w: %w", queue.ErrNoSpace, err)
	}
	return err
}
