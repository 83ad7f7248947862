// Package waltest has a disk in memory that fails as disks do, to hold what is built over package
// wal to its promises.
package waltest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain/internal/wal"
)

// A Disk is a [wal.Folder] in memory that fails as disks do: with errors, without space, and at
// power loss with the synced bytes and an arbitrary part of the rest. After a failed sync it
// forgets silently what it could not write, as Linux does: a later sync succeeds without those
// bytes. Lock it to change its fields while others use it.
type Disk struct {
	sync.Mutex
	Files map[string]*Inode // as programs see them
	Most  int               // capacity in bytes; 0: unlimited
	Err   error             // how operations fail; New sets EIO
	Fails int               // writing operations to fail; negative: all
	Skip  int               // writing operations to let pass before
	Each  map[string]int    // of an operation, how often it fails; negative: always
	Hold  chan struct{}     // not nil: a sync of a file waits for it
	Calls int               // writing operations so far

	kept map[string]*Inode // as of the last sync
}

// The writing operations, as [Disk.Each] names them. A file that is there is opened without one.
const (
	Create   = "create"
	Rename   = "rename"
	Remove   = "remove"
	Names    = "names" // sync of the folder
	Write    = "write" // half of it is written
	Truncate = "truncate"
	Sync     = "sync"

	Read = "read" // fails only by Each
)

// An Inode is a file, whatever its name.
type Inode struct {
	Data       []byte
	Unreadable error    // of every read, if not nil
	Bad        [2]int64 // reads of any sector with bytes from the first to before the second fail with EIO
	Failed     int      // reads

	kept []byte
	lost []bool // bytes that no sync makes durable
}

// New returns an empty disk.
func New() *Disk {
	return &Disk{Files: map[string]*Inode{}, kept: map[string]*Inode{}, Each: map[string]int{}, Err: syscall.EIO}
}

// Of returns a disk with files, which are durable.
func Of(files map[string][]byte) *Disk {
	d := New()
	for name, data := range files {
		d.Put(name, data)
	}
	return d
}

// Put makes a copy of data a durable file.
func (d *Disk) Put(name string, data []byte) {
	d.Files[name] = &Inode{Data: bytes.Clone(data), kept: bytes.Clone(data), lost: make([]bool, len(data))}
	d.kept[name] = d.Files[name]
}

// All returns a copy of the content of the files.
func (d *Disk) All() map[string][]byte {
	all := map[string][]byte{}
	for name, n := range d.Files {
		all[name] = bytes.Clone(n.Data)
	}
	return all
}

// Rot makes every read of a file fail with err; nil ends that.
func (d *Disk) Rot(name string, err error) {
	d.Lock()
	defer d.Unlock()
	d.Files[name].Unreadable = err
}

// Fail makes an operation fail n times; negative: always.
func (d *Disk) Fail(op string, n int) {
	d.Lock()
	defer d.Unlock()
	d.Each[op] = n
}

// Heal ends all faults of operations.
func (d *Disk) Heal() {
	d.Lock()
	defer d.Unlock()
	clear(d.Each)
	d.Fails, d.Skip = 0, 0
}

// Room bounds what the disk takes beyond what it has; negative: no bound.
func (d *Disk) Room(bytes int) {
	d.Lock()
	defer d.Unlock()
	d.Most = 0
	if bytes >= 0 {
		d.Most = max(1, d.Used()+bytes)
	}
}

// Used is how many bytes all files take.
func (d *Disk) Used() (n int) {
	for _, f := range d.Files {
		n += len(f.Data)
	}
	return n
}

// fault returns the error of a failing operation.
func (d *Disk) fault(op string) error {
	d.Calls++
	if d.Each[op] != 0 {
		d.Each[op]--
		return fmt.Errorf("%s: %w", op, d.Err)
	}
	if d.Skip > 0 {
		d.Skip--
		return nil
	}
	if d.Fails == 0 {
		return nil
	}
	d.Fails--
	return fmt.Errorf("%s: %w", op, d.Err)
}

// Open implements [wal.Folder].
func (d *Disk) Open(name string) (wal.File, error) {
	d.Lock()
	defer d.Unlock()
	n, ok := d.Files[name]
	if !ok {
		if err := d.fault(Create); err != nil {
			return nil, err
		}
		n = &Inode{}
		d.Files[name] = n
	}
	return &handle{d: d, Inode: n}, nil
}

// Names implements [wal.Folder].
func (d *Disk) Names() ([]string, error) {
	d.Lock()
	defer d.Unlock()
	return slices.Sorted(maps.Keys(d.Files)), nil
}

// Rename implements [wal.Folder].
func (d *Disk) Rename(from, to string) error {
	d.Lock()
	defer d.Unlock()
	if err := d.fault(Rename); err != nil {
		return err
	}
	d.Files[to] = d.Files[from]
	delete(d.Files, from)
	return nil
}

// Remove implements [wal.Folder].
func (d *Disk) Remove(name string) error {
	d.Lock()
	defer d.Unlock()
	if err := d.fault(Remove); err != nil {
		return err
	}
	if d.Files[name] == nil {
		return fs.ErrNotExist
	}
	delete(d.Files, name)
	return nil
}

// Sync implements [wal.Folder].
func (d *Disk) Sync() error {
	d.Lock()
	defer d.Unlock()
	if err := d.fault(Names); err != nil {
		return err
	}
	d.kept = maps.Clone(d.Files)
	return nil
}

// Tend implements [wal.Folder].
func (d *Disk) Tend(work func()) { work() }

// Space implements [wal.Folder].
func (d *Disk) Space() (free, total int64, ok bool) {
	d.Lock()
	defer d.Unlock()
	return int64(d.Most - d.Used()), int64(d.Most), d.Most > 0
}

// Crash ends the process, and with cut the power as well: then each name made, renamed or removed
// since the last sync, and each part of a file, is in its old or its new state. It returns the
// disk of the next process, without faults and bounds.
func (d *Disk) Crash(t *rapid.T, cut bool) *Disk {
	d.Lock()
	defer d.Unlock()
	names := slices.Sorted(maps.Keys(d.Files))
	for _, name := range slices.Sorted(maps.Keys(d.kept)) {
		if d.Files[name] == nil {
			names = append(names, name)
		}
	}
	after := New()
	for _, name := range names {
		n := d.Files[name]
		if cut && d.kept[name] != n && rapid.Bool().Draw(t, "the folder forgets") {
			n = d.kept[name]
		}
		if n != nil {
			after.Files[name] = n.crash(t, cut)
		}
	}
	after.kept = maps.Clone(after.Files)
	if !cut { // what was not durable is not durable yet
		after.kept = maps.Clone(d.kept)
		for name, n := range d.kept {
			if n == d.Files[name] {
				after.kept[name] = after.Files[name]
			}
		}
	}
	return after
}

// part is how many bytes of a file a disk keeps or loses together.
const part = 32

func (n *Inode) crash(t *rapid.T, cut bool) *Inode {
	if !cut {
		return &Inode{Data: bytes.Clone(n.Data), kept: n.kept, lost: slices.Clone(n.lost)}
	}
	if string(n.Data) == string(n.kept) {
		return &Inode{Data: bytes.Clone(n.Data), kept: n.kept, lost: make([]bool, len(n.Data))}
	}
	size := rapid.IntRange(min(len(n.Data), len(n.kept)), max(len(n.Data), len(n.kept))).Draw(t, "size")
	data := make([]byte, size)
	for at := 0; at < size; at += part {
		from := n.Data
		if rapid.Bool().Draw(t, "forgets") {
			from = n.kept
		}
		if at < len(from) {
			copy(data[at:min(size, at+part)], from[at:])
		}
	}
	for i := range min(size, len(n.lost)) {
		if n.lost[i] {
			data[i] = 0
			if i < len(n.kept) {
				data[i] = n.kept[i]
			}
		}
	}
	return &Inode{Data: data, kept: bytes.Clone(data), lost: make([]bool, size)}
}

// A handle is an open file.
type handle struct {
	d *Disk
	*Inode
	closed bool
}

// ReadAt implements [io.ReaderAt].
func (h *handle) ReadAt(b []byte, at int64) (n int, err error) {
	h.d.Lock()
	defer h.d.Unlock()
	switch {
	case h.closed:
		return 0, os.ErrClosed
	case h.Unreadable != nil:
		h.Failed++
		return 0, h.Unreadable
	case at&^(wal.Sector-1) < h.Bad[1] && h.Bad[0] < (at+int64(len(b))+wal.Sector-1)&^(wal.Sector-1):
		h.Failed++
		return 0, syscall.EIO
	case h.d.Each[Read] != 0:
		h.d.Each[Read]--
		return 0, h.d.Err
	}
	if at < int64(len(h.Data)) {
		n = copy(b, h.Data[at:])
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes half if it fails, and what fits on a full disk.
func (h *handle) WriteAt(b []byte, at int64) (int, error) {
	h.d.Lock()
	defer h.d.Unlock()
	if h.closed {
		return 0, os.ErrClosed
	}
	err := h.d.fault(Write)
	if err != nil {
		b = b[:len(b)/2]
	}
	if need, free := int(at)+len(b)-len(h.Data), h.d.Most-h.d.Used(); h.d.Most > 0 && need > max(0, free) {
		b, err = b[:max(0, len(b)-need+max(0, free))], syscall.ENOSPC
	}
	if len(b) == 0 {
		return 0, err
	}
	h.grow(int(at) + len(b))
	clear(h.lost[at : int(at)+len(b)])
	return copy(h.Data[at:], b), err
}

// grow makes the file at least so large.
func (n *Inode) grow(size int) {
	if more := size - len(n.Data); more > 0 {
		n.Data = append(n.Data, make([]byte, more)...)
	}
	if more := len(n.Data) - len(n.lost); more > 0 {
		n.lost = append(n.lost, make([]bool, more)...)
	}
}

// Truncate changes the file's size.
func (h *handle) Truncate(size int64) error {
	h.d.Lock()
	defer h.d.Unlock()
	if err := h.d.fault(Truncate); err != nil {
		return err
	}
	h.grow(int(size))
	h.Data, h.lost = bytes.Clone(h.Data[:size]), slices.Clone(h.lost[:size])
	return nil
}

// Sync makes the file durable.
func (h *handle) Sync() error {
	h.d.Lock()
	defer h.d.Unlock()
	if hold := h.d.Hold; hold != nil {
		h.d.Unlock()
		<-hold
		h.d.Lock()
	}
	h.grow(len(h.Data))
	err := h.d.fault(Sync)
	kept := bytes.Clone(h.Data)
	for i := range h.Data {
		known := i < len(h.kept)
		if err != nil && (!known || h.Data[i] != h.kept[i]) {
			h.lost[i] = true
		}
		if h.lost[i] {
			kept[i] = 0
			if known {
				kept[i] = h.kept[i]
			}
		}
	}
	if err == nil {
		h.kept = kept
	}
	return err
}

// Hold does nothing: a handle has its file, whatever the name.
func (h *handle) Hold() error { return nil }

// Spare does nothing.
func (h *handle) Spare() {}

// Renamed does nothing.
func (h *handle) Renamed(string) {}

// Reserve does nothing.
func (h *handle) Reserve(int64) error { return nil }

// Size is the size in bytes.
func (h *handle) Size() (int64, error) {
	h.d.Lock()
	defer h.d.Unlock()
	return int64(len(h.Data)), nil
}

// Close closes the file.
func (h *handle) Close() error {
	h.d.Lock()
	defer h.d.Unlock()
	if h.closed {
		return os.ErrClosed
	}
	h.closed = true
	return nil
}

// Faults are possible errors of a disk.
func Faults() []error { return []error{syscall.ENOSPC, syscall.EIO, errors.New("a fault of its own")} }
