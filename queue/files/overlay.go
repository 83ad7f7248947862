package files

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// An overlay is a folder on disk that is only read: what is written stays in memory, and
// is forgotten with it.
type overlay struct {
	now map[string]*layer // every file
}

// A layer is a file of the folder with what was written over it.
type layer struct {
	under   *os.File // nil: it is only in memory
	below   int64    // bytes of under that count
	size    int64
	patches []patch // the later ones count
}

// A patch is bytes over those of the file below.
type patch struct {
	at   int64
	data []byte
}

// newOverlay opens all files of the folder. The caller closes it.
func newOverlay(dir string) (*overlay, error) {
	o := &overlay{make(map[string]*layer)}
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
			return nil, errors.Join(err, o.close())
		}
		l := &layer{under: f}
		o.now[e.Name()] = l
		info, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		l.below, l.size = info.Size(), info.Size()
	}
	return o, nil
}

func (o *overlay) close() error {
	var errs []error
	for _, l := range o.now {
		if l.under != nil {
			errs = append(errs, l.under.Close())
		}
	}
	return errors.Join(errs...)
}

func (o *overlay) open(name string) (file, error) {
	if o.now[name] == nil {
		o.now[name] = &layer{}
	}
	return o.now[name], nil
}

func (o *overlay) names() ([]string, error) { return slices.Collect(maps.Keys(o.now)), nil }

func (o *overlay) rename(from, to string) error {
	o.now[to] = o.now[from]
	delete(o.now, from)
	return nil
}

func (o *overlay) remove(name string) error {
	if o.now[name] == nil {
		return fs.ErrNotExist
	}
	delete(o.now, name)
	return nil
}

func (o *overlay) sync() error                         { return nil }
func (o *overlay) tend(work func())                    { work() }
func (o *overlay) space() (free, total int64, ok bool) { return 0, 0, false }

// ReadAt reads from offset at on.
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

// WriteAt writes at offset at.
func (l *layer) WriteAt(b []byte, at int64) (int, error) {
	l.patches = append(l.patches, patch{at, slices.Clone(b)})
	l.size = max(l.size, at+int64(len(b)))
	return len(b), nil
}

// Truncate makes the file shorter, or longer.
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

// Size is the size in bytes.
func (l *layer) Size() (int64, error) { return l.size, nil }

// Close, Sync, Hold, Renamed and Reserve do nothing: the overlay closes what is open.
func (l *layer) Close() error        { return nil }
func (l *layer) Sync() error         { return nil }
func (l *layer) Hold() error         { return nil }
func (l *layer) Spare()              {}
func (l *layer) Renamed(string)      {}
func (l *layer) Reserve(int64) error { return nil }
