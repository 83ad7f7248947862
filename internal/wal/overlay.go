package wal

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// An Overlay is a copy-on-write view of a folder on disk: it only reads the files, and keeps
// writes in memory.
type Overlay struct {
	now map[string]*layer // by name
}

// A layer is a file of the folder with the writes over it.
type layer struct {
	under   *os.File // nil: only in memory
	below   int64    // visible bytes of under
	size    int64
	patches []patch // later ones win
}

// A patch is a write.
type patch struct {
	at   int64
	data []byte
}

// NewOverlay opens all files of the folder. The caller closes it.
func NewOverlay(dir string) (*Overlay, error) {
	o := &Overlay{make(map[string]*layer)}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		f, err := os.Open(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, errors.Join(err, o.Close())
		}
		l := &layer{under: f}
		o.now[e.Name()] = l
		info, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, o.Close())
		}
		l.below, l.size = info.Size(), info.Size()
	}
	return o, nil
}

// Close closes the files on disk.
func (o *Overlay) Close() error {
	var errs []error
	for _, l := range o.now {
		if l.under != nil {
			errs = append(errs, l.under.Close())
		}
	}
	return errors.Join(errs...)
}

// Open implements [Folder].
func (o *Overlay) Open(name string) (File, error) {
	if o.now[name] == nil {
		o.now[name] = &layer{}
	}
	return o.now[name], nil
}

// Names implements [Folder].
func (o *Overlay) Names() ([]string, error) { return slices.Collect(maps.Keys(o.now)), nil }

// Rename implements [Folder].
func (o *Overlay) Rename(from, to string) error {
	o.now[to] = o.now[from]
	delete(o.now, from)
	return nil
}

// Remove implements [Folder].
func (o *Overlay) Remove(name string) error {
	if o.now[name] == nil {
		return fs.ErrNotExist
	}
	delete(o.now, name)
	return nil
}

// Sync implements [Folder].
func (o *Overlay) Sync() error { return nil }

// Tend implements [Folder].
func (o *Overlay) Tend(work func()) { work() }

// Space implements [Folder].
func (o *Overlay) Space() (free, total int64, ok bool) { return 0, 0, false }

// ReadAt implements [io.ReaderAt].
func (l *layer) ReadAt(b []byte, at int64) (int, error) {
	n := int(min(int64(len(b)), max(0, l.size-at)))
	clear(b[:n])
	if under := min(int64(n), l.below-at); under > 0 {
		if _, err := l.under.ReadAt(b[:under], at); err != nil {
			return 0, err
		}
	}
	for _, p := range l.patches {
		from, to := max(p.at, at), min(p.at+int64(len(p.data)), at+int64(n))
		if from < to {
			copy(b[from-at:to-at], p.data[from-p.at:])
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt implements [io.WriterAt].
func (l *layer) WriteAt(b []byte, at int64) (int, error) {
	l.patches = append(l.patches, patch{at, slices.Clone(b)})
	l.size = max(l.size, at+int64(len(b)))
	return len(b), nil
}

// Truncate changes the file's size.
func (l *layer) Truncate(size int64) error {
	l.size, l.below = size, min(l.below, size)
	var left []patch
	for _, p := range l.patches {
		if n := min(int64(len(p.data)), size-p.at); n > 0 {
			left = append(left, patch{p.at, p.data[:n]})
		}
	}
	l.patches = left
	return nil
}

func (l *layer) Size() (int64, error) { return l.size, nil }

// Close and the others do nothing: the overlay closes the open files.
func (l *layer) Close() error        { return nil }
func (l *layer) Sync() error         { return nil }
func (l *layer) Hold() error         { return nil }
func (l *layer) Spare()              {}
func (l *layer) Renamed(string)      {}
func (l *layer) Reserve(int64) error { return nil }
