package files

import (
	"container/list"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// A Pool keeps few files open, however many the stores have that share it. It opens a file
// when that is used, and closes it when it was not used for a while, or when others need
// its place. What was written and is not yet durable stays open, since an error of the
// disk is told only to who has the file open, but for what can be spared. Many goroutines may use a pool.
type Pool struct {
	most   int
	tended chan struct{} // holds an element for each folder that is tended now

	mu   sync.Mutex
	open int       // files that are open
	idle list.List // of *osFile: those that may be closed, the one used last in front
}

// DefaultOpen is how many files a pool keeps open, unless something else is said.
const DefaultOpen = 128

// tendedAtOnce is how many folders are tended at once: each opens a few files for that.
const tendedAtOnce = 4

// NewPool returns a pool that closes files while more than most are open.
func NewPool(most int) *Pool { return &Pool{most: most, tended: make(chan struct{}, tendedAtOnce)} }

// An osFile is a file of the operating system, which is open only when it is used.
type osFile struct {
	pool *Pool

	// The pool's mutex guards what follows.
	path   string
	known  os.FileInfo // the file, whatever has its name now
	file   *os.File    // nil: it is not open now
	users  int
	used   time.Time
	dirty  bool // something was written since it was synced
	held   bool // it stays open until Close
	spare  bool // what is dirty may be closed
	closed bool
	place  *list.Element // in pool.idle, or nil
}

// add opens the file at path, or makes it, and keeps it.
func (p *Pool) add(path string) (*osFile, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	o := &osFile{pool: p, path: path, file: f}
	if o.known, err = f.Stat(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open++
	p.rest(o)
	return o, nil
}

// take opens the file of o if need be, and keeps it open until it is given back.
func (p *Pool) take(o *osFile) (*os.File, error) {
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
func (p *Pool) reopen(o *osFile) error {
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

// give gives back what take returned.
func (p *Pool) give(o *osFile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if o.users--; o.users == 0 {
		p.rest(o)
	}
}

// rest lets a file be closed that nobody uses, and closes files if too many are open.
// p.mu is held.
func (p *Pool) rest(o *osFile) {
	o.used = time.Now()
	switch {
	case o.closed:
		_ = p.shut(o) // what was written was synced, or was told to fail
	case (!o.dirty || o.spare) && !o.held:
		o.place = p.idle.PushFront(o)
	}
	for p.open > p.most && p.idle.Len() > 0 {
		p.shutLast()
	}
}

// sweep closes the files that were not used for a time.
func (p *Pool) sweep(unused time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for e := p.idle.Back(); e != nil && time.Since(e.Value.(*osFile).used) >= unused; e = p.idle.Back() {
		p.shutLast()
	}
}

// shutLast closes the idle file that was not used for longest. It has nothing to write, so
// an error of closing it says nothing. p.mu is held.
func (p *Pool) shutLast() { _ = p.shut(p.idle.Remove(p.idle.Back()).(*osFile)) }

// shut closes the file of o. p.mu is held.
func (p *Pool) shut(o *osFile) error {
	f := o.file
	o.file, o.place = nil, nil
	p.open--
	return f.Close()
}

// use calls do with the open file.
func (o *osFile) use(do func(*os.File) error) error {
	f, err := o.pool.take(o)
	if err != nil {
		return err
	}
	defer o.pool.give(o)
	return do(f)
}

// mark notes whether something is written that is not durable.
func (o *osFile) mark(dirty bool) {
	o.pool.mu.Lock()
	defer o.pool.mu.Unlock()
	o.dirty = dirty
}

// ReadAt implements [io.ReaderAt].
func (o *osFile) ReadAt(b []byte, at int64) (n int, err error) {
	err = o.use(func(f *os.File) (err error) { n, err = f.ReadAt(b, at); return err })
	return n, err
}

// WriteAt implements [io.WriterAt].
func (o *osFile) WriteAt(b []byte, at int64) (n int, err error) {
	err = o.use(func(f *os.File) (err error) {
		o.mark(true)
		n, err = f.WriteAt(b, at)
		return err
	})
	return n, err
}

// Truncate makes the file shorter, or longer.
func (o *osFile) Truncate(size int64) error {
	return o.use(func(f *os.File) error {
		o.mark(true)
		return f.Truncate(size)
	})
}

// Sync waits until the data is on disk, with as much of the rest as reading it needs.
func (o *osFile) Sync() error {
	return o.use(func(f *os.File) error {
		err := syncData(f)
		o.mark(err != nil)
		return err
	})
}

// Hold keeps the file open until Close: another one is about to take its name.
func (o *osFile) Hold() error {
	return o.use(func(*os.File) error {
		o.pool.mu.Lock()
		defer o.pool.mu.Unlock()
		o.held = true
		return nil
	})
}

// Spare lets the file be closed while it is dirty.
func (o *osFile) Spare() {
	o.pool.mu.Lock()
	defer o.pool.mu.Unlock()
	o.spare = true
}

// Reserve takes disk space if the system can.
func (o *osFile) Reserve(size int64) error {
	return o.use(func(f *os.File) error { return reserve(f, size) })
}

// Size is the size in bytes.
func (o *osFile) Size() (size int64, err error) {
	err = o.use(func(f *os.File) error {
		info, err := f.Stat()
		if err == nil {
			size = info.Size()
		}
		return err
	})
	return size, err
}

// move notes the path that the file has now.
func (o *osFile) move(path string) {
	o.pool.mu.Lock()
	defer o.pool.mu.Unlock()
	o.path = path
}

// Close closes the file for good, once those who use it have done.
func (o *osFile) Close() error {
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
