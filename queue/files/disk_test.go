package files

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"pgregory.net/rapid"
)

// A disk is a folder in memory that fails as disks do: with errors, without space, and at power
// loss with the synced bytes and an arbitrary part of the rest.
type disk struct {
	mu    sync.Mutex
	now   map[string]*inode // as programs see it
	kept  map[string]*inode // as of the last sync
	fails int               // operations to fail; negative: all
	skip  int               // operations to let pass before
	err   error             // how they fail
	most  int               // capacity in bytes; 0: unlimited
}

// An inode is a file, whatever its name.
type inode struct {
	data, kept []byte
	unreadable error    // of every read, if not nil
	bad        [2]int64 // reads of any sector with bytes from the first to before the second fail with EIO
	failed     int      // reads
}

func newDisk() *disk { return &disk{now: make(map[string]*inode), kept: make(map[string]*inode)} }

// rot makes every read of a file fail with err; nil ends that.
func (d *disk) rot(name string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now[name].unreadable = err
}

// shorten cuts a file to its first bytes behind the store's back.
func (d *disk) shorten(name string, size int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now[name].data = d.now[name].data[:size]
}

// fault returns the error of a failing operation.
func (d *disk) fault() error {
	if d.skip > 0 {
		d.skip--
		return nil
	}
	if d.fails == 0 {
		return nil
	}
	d.fails--
	return d.err
}

func (d *disk) open(name string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, ok := d.now[name]
	if !ok {
		if err := d.fault(); err != nil {
			return nil, err
		}
		n = &inode{}
		d.now[name] = n
	}
	return &handle{d: d, inode: n}, nil
}

func (d *disk) names() ([]string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Keys(d.now)), nil
}

func (d *disk) rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(); err != nil {
		return err
	}
	d.now[to] = d.now[from]
	delete(d.now, from)
	return nil
}

func (d *disk) remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(); err != nil {
		return err
	}
	if d.now[name] == nil {
		return fs.ErrNotExist
	}
	delete(d.now, name)
	return nil
}

func (d *disk) sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.fault(); err != nil {
		return err
	}
	d.kept = maps.Clone(d.now)
	return nil
}

func (d *disk) tend(work func()) { work() }

func (d *disk) space() (free, total int64, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return int64(d.most - d.used()), int64(d.most), d.most > 0
}

// used is how many bytes all files take. d.mu is held.
func (d *disk) used() (n int) {
	for _, f := range d.now {
		n += len(f.data)
	}
	return n
}

// cut takes the power away: each name made, renamed or removed since the last sync, and each
// part of a file, is in its old or its new state.
func (d *disk) cut(t *rapid.T) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fails, d.skip = 0, 0
	names := slices.Sorted(maps.Keys(d.now))
	for name := range d.kept {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	after := make(map[string]*inode)
	for _, name := range names {
		n := d.now[name]
		if d.kept[name] != n && rapid.Bool().Draw(t, "the folder forgets") {
			n = d.kept[name]
		}
		if n != nil {
			after[name] = n
		}
	}
	for _, name := range names {
		if n := after[name]; n != nil {
			n.cut(t)
		}
	}
	d.now, d.kept = after, maps.Clone(after)
}

// part is how many bytes of a file a disk keeps or loses together.
const part = 64

func (n *inode) cut(t *rapid.T) {
	if string(n.data) == string(n.kept) {
		return
	}
	size := rapid.IntRange(min(len(n.data), len(n.kept)), max(len(n.data), len(n.kept))).Draw(t, "size")
	after := make([]byte, size)
	for at := 0; at < size; at += part {
		from := n.data
		if rapid.Bool().Draw(t, "forgets") {
			from = n.kept
		}
		if at < len(from) {
			copy(after[at:min(size, at+part)], from[at:])
		}
	}
	n.data, n.kept = after, slices.Clone(after)
}

// A handle is an open file.
type handle struct {
	d *disk
	*inode
	closed bool
}

// ReadAt reads from offset at on.
func (h *handle) ReadAt(b []byte, at int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.closed {
		return 0, os.ErrClosed
	}
	if h.unreadable != nil {
		h.failed++
		return 0, h.unreadable
	}
	if at&^(sector-1) < h.bad[1] && h.bad[0] < (at+int64(len(b))+sector-1)&^(sector-1) {
		h.failed++
		return 0, syscall.EIO
	}
	n := 0
	if at < int64(len(h.data)) {
		n = copy(b, h.data[at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes at offset at, perhaps only partly.
func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	err := h.d.fault()
	if h.closed {
		return 0, os.ErrClosed
	}
	if err != nil {
		b = b[:len(b)/2]
	}
	if need := int(at) + len(b) - len(h.data); need > 0 {
		if free := h.d.most - h.d.used(); h.d.most > 0 && need > free {
			return 0, syscall.ENOSPC
		}
		h.data = append(h.data, make([]byte, need)...)
	}
	return copy(h.data[at:], b), err
}

// Truncate changes the file's size.
func (h *handle) Truncate(size int64) error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if err := h.d.fault(); err != nil {
		return err
	}
	after := make([]byte, size)
	copy(after, h.data)
	h.data = after
	return nil
}

// Sync makes the file durable.
func (h *handle) Sync() error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if err := h.d.fault(); err != nil {
		return err
	}
	h.kept = slices.Clone(h.data)
	return nil
}

// Hold does nothing: a handle has its file, whatever the name.
func (h *handle) Hold() error { return nil }
func (h *handle) Spare()      {}

// Renamed does nothing.
func (h *handle) Renamed(string) {}

// Reserve does nothing.
func (h *handle) Reserve(int64) error { return nil }

// Size is the size in bytes.
func (h *handle) Size() (int64, error) {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	return int64(len(h.data)), nil
}

// Close closes the file.
func (h *handle) Close() error {
	h.d.mu.Lock()
	defer h.d.mu.Unlock()
	if h.closed {
		return os.ErrClosed
	}
	h.closed = true
	return nil
}

// faults are possible errors of a disk.
func faults() []error { return []error{syscall.ENOSPC, syscall.EIO, errors.New("a fault of its own")} }
