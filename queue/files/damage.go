package files

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/wal"
)

const (
	keptEnd  = ".kept" // suffix of a file with the bytes of a gap
	keptMost = 64      // such files at most, so a dying disk does not fill another

	remedy = "stop, and put back a copy of the folder; or go on without what is lost"
)

// damage counts and logs a damaged place, and saves its bytes beside if the disk can read
// them.
func (c *catalog) damage(name string, g wal.Gap, what string) error {
	c.damaged.Add(1)
	if g.Why != nil { // its bytes cannot be saved
		c.log.Error(what, "file", name, "at", g.From, "bytes", g.To-g.From, "err", g.Why, "remedy", remedy)
		return nil //nolint:nilerr // the damage is told
	}
	kept, size, err := c.keep(name, g)
	c.log.Error(what, "file", name, "at", g.From, "bytes", size, "kept", kept, "remedy", remedy)
	return err
}

// keep copies the bytes of a gap, with a negative To up to the end, to a file of their own, unless one exists, and returns its
// name. If it cannot, it returns no name: the copy only helps, and its lack is no reason to
// stop.
func (c *catalog) keep(name string, g wal.Gap) (kept string, size int64, err error) {
	f, err := c.folder.Open(name)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	if g.To < 0 {
		if g.To, err = f.Size(); err != nil {
			return "", 0, err
		}
	}
	size = g.To - g.From
	kept = fmt.Sprintf("%s.%d%s", name, g.From, keptEnd)
	if c.has(kept) || size == 0 {
		return kept, size, nil
	}
	isKept := func(name string) bool { return strings.HasSuffix(name, keptEnd) }
	at, _ := slices.BinarySearch(c.names, kept)
	if len(slices.DeleteFunc(slices.Clone(c.names), func(n string) bool { return !isKept(n) })) >= keptMost {
		return "", size, nil
	}
	if err := c.copyTo(kept, io.NewSectionReader(f, g.From, size)); err != nil {
		c.log.Warn("the damaged bytes could not be saved beside", "file", name, "err", err)
		return "", size, nil
	}
	c.names = slices.Insert(c.names, at, kept)
	return kept, size, nil
}

// copyTo makes a file with the content of r, or none.
func (c *catalog) copyTo(name string, r io.Reader) error {
	f, err := c.folder.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.NewOffsetWriter(f, 0), r)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return errors.Join(err, c.discard(name))
	}
	return nil
}
