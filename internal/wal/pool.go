package wal

import (
	"container/list"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// A Pool bounds the open files of the stores that share it. It opens a file when it is used,
// and closes it after a while without use, or when others need its place. A file with writes
// that are not yet durable stays open, because the disk reports errors only to open files;
// files marked spare are exempt. Many goroutines may use it at once.
type Pool struct {
	most   int
	tended chan struct{} // a semaphore: an element for each folder being tended

	mu   sync.Mutex
	open int       // open files
	idle list.List // of *pooledFile that may be closed, the last used in front
}

// DefaultOpen is how many files a pool keeps open by default.
const DefaultOpen = 128

// tendedAtOnce bounds the folders being tended, because each opens a few files for that.
const tendedAtOnce = 4

// NewPool returns a pool of most open files. If all are in use, it exceeds that.
func NewPool(most int) *Pool { return &Pool{most: most, tended: make(chan struct{}, tendedAtOnce)} }

// A pooledFile is a file of the operating system, open only in use.
type pooledFile struct {
	pool *Pool

	// The pool's mutex guards the rest.
	path   string
	known  os.FileInfo // identifies the file, whatever its name now
	file   *os.File    // nil: closed
	users  int
	used   time.Time
	dirty  bool // written since the last sync
	held   bool // stays open until Close
	spare  bool // may be closed while dirty
	closed bool
	place  *list.Element // in pool.idle, or nil
}

// NumOpen is how many files are open.
func (p *Pool) NumOpen() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.open
}

// add opens or makes the file at path.
func (p *Pool) add(path string) (*pooledFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	o := &pooledFile{pool: p, path: path, file: f}
	if o.known, err = f.Stat(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open++
	p.rest(o)
	return o, nil
}

// take opens the file of o if need be, and keeps it open until give.
func (p *Pool) take(o *pooledFile) (*os.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.closed {
		return nil, os.ErrClosed
	}
	if o.file == nil {
		if err := p.reopen(o); err != nil {
			return nil, err
		}
	}
	if o.place != nil {
		p.idle.Remove(o.place)
		o.place = nil
	}
	o.users++
	return o.file, nil
}

// reopen opens the file of o again. p.mu is held.
func (p *Pool) reopen(o *pooledFile) error {
	f, err := os.OpenFile(o.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	now, err := f.Stat()
	if err == nil && !os.SameFile(now, o.known) {
		err = fmt.Errorf("%s: another file has this name now: %w", o.path, os.ErrClosed)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	o.file = f
	p.open++
	return nil
}

// give undoes take.
func (p *Pool) give(o *pooledFile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.users--; o.users == 0 {
		p.rest(o)
	}
}

// rest lets an unused file be closed, and closes files while too many are open. p.mu is
// held.
func (p *Pool) rest(o *pooledFile) {
	o.used = time.Now()
	switch {
	case o.closed:
		_ = p.shut(o) // its writes were synced, or their errors reported
	case (!o.dirty || o.spare) && !o.held:
		o.place = p.idle.PushFront(o)
	}
	for p.open > p.most && p.idle.Len() > 0 {
		p.shutLast()
	}
}

// sweep closes the files that were unused for a time.
func (p *Pool) sweep(unused time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e := p.idle.Back(); e != nil && time.Since(e.Value.(*pooledFile).used) >= unused; e = p.idle.Back() {
		p.shutLast()
	}
}

// shutLast closes the idle file unused for longest. It is clean, so an error of closing it
// means nothing. p.mu is held.
func (p *Pool) shutLast() { _ = p.shut(p.idle.Remove(p.idle.Back()).(*pooledFile)) }

// shut closes the file of o. p.mu is held.
func (p *Pool) shut(o *pooledFile) error {
	f := o.file
	o.file, o.place = nil, nil
	p.open--
	return f.Close()
}

// use calls do with the open file.
func (o *pooledFile) use(do func(*os.File) error) error {
	f, err := o.pool.take(o)
	if err != nil {
		return err
	}
	defer o.pool.give(o)
	return do(f)
}

// mark sets whether the file has writes that are not durable.
func (o *pooledFile) mark(dirty bool) {
	o.pool.mu.Lock()
	defer o.pool.mu.Unlock()
	o.dirty = dirty
}

// ReadAt implements [io.ReaderAt].
func (o *pooledFile) ReadAt(b []byte, at int64) (n int, err error) {
	err = o.use(func(f *os.File) (err error) { n, err = f.ReadAt(b, at); return err })
	return n, err
}

// WriteAt implements [io.WriterAt].
func (o *pooledFile) WriteAt(b []byte, at int64) (n int, err error) {
	err = o.use(func(f *os.File) (err error) {
		o.mark(true)
		n, err = f.WriteAt(b, at)
		return err
	})
	return n, err
}

// Truncate changes the file's size.
func (o *pooledFile) Truncate(size int64) error {
	return o.use(func(f *os.File) error {
		o.mark(true)
		return f.Truncate(size)
	})
}

// Sync waits until the data is on disk, with the metadata to read it.
func (o *pooledFile) Sync() error {
	return o.use(func(f *os.File) error {
		err := datadir.SyncData(f)
		o.mark(err != nil)
		return err
	})
}

// Hold keeps the file open until Close, because another is about to take its name.
func (o *pooledFile) Hold() error {
	return o.use(func(*os.File) error {
		o.pool.mu.Lock()
		defer o.pool.mu.Unlock()
		o.held = true
		return nil
	})
}

// Spare lets the file be closed while it is dirty.
func (o *pooledFile) Spare() {
	o.pool.mu.Lock()
	defer o.pool.mu.Unlock()
	o.spare = true
}

// Reserve reserves disk space if the system can.
func (o *pooledFile) Reserve(size int64) error {
	return o.use(func(f *os.File) error { return reserve(f, size) })
}

func (o *pooledFile) Size() (size int64, err error) {
	err = o.use(func(f *os.File) error {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		size = info.Size()
		return nil
	})
	return size, err
}

// move sets the file's new path.
func (o *pooledFile) move(path string) {
	o.pool.mu.Lock()
	defer o.pool.mu.Unlock()
	o.path = path
}

// Close closes the file for good once its users are done.
func (o *pooledFile) Close() error {
	p := o.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.closed {
		return os.ErrClosed
	}
	o.closed = true
	if o.place != nil {
		p.idle.Remove(o.place)
		o.place = nil
	}
	if o.file == nil || o.users > 0 {
		return nil
	}
	return p.shut(o)
}
