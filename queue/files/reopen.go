package files

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// errHeadless says that the machine or process ended before the first bytes of a new file
// were durable.
var errHeadless = errors.New("is empty, or all zeros")

var errForeign = errors.New("belongs to another store")

// openFrameFile opens and scans a file of frames. If it may have grown since the last seal,
// a torn write at its end is cut off; else every byte of it is sealed.
//
// [errHeadless] says that the file was made, but never held anything.
func openFrameFile(in *catalog, name string, grown bool) (ff *frameFile, v wal.Scan, err error) {
	f, err := in.folder.Open(name)
	if err != nil {
		return nil, v, err
	}
	head, v, err := in.restore(f, name, grown)
	if err != nil {
		return nil, v, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	ff = in.frameFile(name, wal.Resume(f, head, v.End))
	ff.gaps = v.Gaps
	in.hold(ff)
	return ff, v, nil
}

// restore scans a file, cuts off a torn write, and makes the rest durable.
func (c *catalog) restore(f wal.File, name string, grown bool) (head wal.Head, v wal.Scan, err error) {
	size, err := f.Size()
	if err != nil {
		return head, v, err
	}
	if head, err = c.head(f, name, size); err != nil {
		return head, v, err
	}
	s := wal.Source{ReaderAt: f, Size: size, Salt: head.Salt, Sealed: c.sealed(name, head)}
	if v, err = c.inspect(f, name, s, grown); err != nil {
		return head, v, err
	}
	if v.Torn {
		if err := c.cut(f, name, v); err != nil {
			return head, v, err
		}
	}
	if !grown {
		return head, v, nil
	}
	return head, v, s.Harden(v, f) // trusted from now on
}

// inspect scans a file and reports damage.
func (c *catalog) inspect(f wal.File, name string, s wal.Source, grown bool) (v wal.Scan, err error) {
	if s.Sealed > s.Size {
		c.damaged.Add(1)
		c.log.Error("a file has lost its end", "file", name, "at", s.Size, "bytes", s.Sealed-s.Size, "remedy", remedy)
		// New frames go after the lost end, so none overlaps another.
		if err := f.Truncate(s.Sealed); err != nil {
			return v, err
		}
		s.Size = s.Sealed
	}
	check := int64(0)
	if !grown {
		s.Sealed, check = s.Size, s.Size
	}
	if v, err = s.Scan(check); err != nil {
		return v, err
	}
	for _, g := range v.Gaps {
		if err := c.damage(name, g, harmOf(kindOf(name))); err != nil {
			return v, err
		}
	}
	return v, nil
}

// harmOf describes the effect of damage to a file of a kind.
func harmOf(kind byte) string {
	switch kind {
	case kindDone:
		return "the log is damaged: groups that were acknowledged may be handed out again, and their IDs may be taken as new"
	case kindStates:
		return "the file of states is damaged: a state may have its previous value"
	}
	return "a file of groups is damaged: its groups may be lost"
}

// sealed is the known durable size of a file.
func (c *catalog) sealed(name string, head wal.Head) int64 {
	known := max(wal.HeadLen, c.ends.of(head.Kind, head.Salt))
	// A file rewritten after the manifest has another salt. Each of its frames counts as a
	// write of its own, so only the last is in doubt.
	if l, ok := c.found.files[name]; ok && l.salt == head.Salt {
		known = max(known, l.sealed)
	}
	return known
}

// head reads the head of a file, or restores a damaged one from the manifest.
func (c *catalog) head(f wal.File, name string, size int64) (head wal.Head, err error) {
	l, ok := c.found.files[name]
	head, err = wal.ReadHead(f, kindOf(name))
	if v, ok := errors.AsType[*wal.VersionError](err); ok && v.Newer() {
		err = fmt.Errorf("%w: %w", err, queue.ErrNewer)
	}
	if err == nil && !c.guessed && !c.found.knows(name, head.Salt) {
		return head, errForeign
	}
	known := wal.Head{Kind: kindOf(name), Salt: l.salt, Number: l.next}
	if wal.Unreadable(err) && ok { // not written: the disk may read the old bytes again
		return known, c.damage(name, wal.Gap{To: min(size, wal.HeadLen), Why: err}, "the first bytes of a file cannot be read")
	}
	if !errors.Is(err, wal.ErrHead) {
		return head, err
	}
	if !ok {
		if none, err := wal.Blank(f, 0, size); err != nil {
			return head, err
		} else if none || size < wal.HeadLen {
			return head, errHeadless
		}
		return head, fmt.Errorf("%w: put back a copy of the folder", err)
	}
	if err := c.damage(name, wal.Gap{To: min(size, wal.HeadLen)}, "the first bytes of a file are damaged"); err != nil {
		return head, err
	}
	_, err = f.WriteAt(known.Encode(), 0)
	return known, err
}

// cut cuts off an unfinished write, and saves its bytes beside.
func (c *catalog) cut(f wal.File, name string, v wal.Scan) error {
	kept, size, err := c.keep(name, wal.Gap{From: v.End, To: -1})
	if err != nil {
		return err
	}
	c.cuts.Add(1)
	c.log.Warn("an unfinished write is cut off", "file", name, "at", v.End, "bytes", size, "kept", kept)
	return f.Truncate(v.End)
}
