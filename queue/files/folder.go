package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/queue"
)

// A folder is a store's view of a folder on disk; a fake one fails in tests.
type folder interface {
	// open opens or makes a file for reading and writing.
	open(name string) (file, error)
	// names are the names of all files.
	names() ([]string, error)
	rename(from, to string) error
	remove(name string) error
	// sync makes new, renamed and removed names durable.
	sync() error
	// tend calls work while few other folders of the pool do, then closes the files that were
	// unused for a while; they reopen on use.
	tend(work func())
	// space is the free and the total space of the disk in bytes; ok is false if unknown.
	space() (free, total int64, ok bool)
}

// A file is one of the folder's files. Reads and writes may be concurrent.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	// Sync makes all writes durable.
	Sync() error
	// Hold keeps the file open until Close, because another is about to take its name.
	Hold() error
	// Spare lets the file be closed before its writes are durable: nobody needs to know if
	// they fail.
	Spare()
	// Renamed sets the file's new name.
	Renamed(name string)
	// Reserve reserves disk space for the file to grow to size, without changing its size. Not
	// every system can.
	Reserve(size int64) error
}

// An osFolder is a folder of the operating system.
type osFolder struct {
	dir  string
	pool *Pool // of its open files
}

func (d osFolder) path(name string) string { return filepath.Join(d.dir, name) }

func (d osFolder) open(name string) (file, error) {
	o, err := d.pool.add(d.path(name))
	if err != nil {
		return nil, err
	}
	return namedFile{o, d}, nil
}

// A namedFile is an osFile that knows its folder.
type namedFile struct {
	*osFile
	in osFolder
}

// Renamed sets the file's new name.
func (f namedFile) Renamed(name string) { f.move(f.in.path(name)) }

func (d osFolder) names() ([]string, error) {
	list, err := os.ReadDir(d.dir)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

func (d osFolder) rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }
func (d osFolder) remove(name string) error     { return os.Remove(d.path(name)) }

func (d osFolder) sync() error { return datadir.SyncFolder(d.dir) }

func (d osFolder) space() (free, total int64, ok bool) { return datadir.Space(d.dir) }

func (d osFolder) tend(work func()) {
	d.pool.tended <- struct{}{}
	work()
	<-d.pool.tended
	d.pool.sweep(idleTime / 2)
}

// spaceError turns err into a [queue.ErrNoSpace] if the disk is full, or a quota or a limit
// on file sizes is reached.
func spaceError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, errQuota) {
		return fmt.Errorf("%w: %w", queue.ErrNoSpace, err)
	}
	return err
}
