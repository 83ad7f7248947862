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

// A folder is what a store needs of a folder on disk; in tests it fails.
type folder interface {
	// open opens a file for reading and writing, and makes it if it does not exist.
	open(name string) (file, error)
	// names are the names of all files.
	names() ([]string, error)
	rename(from, to string) error
	remove(name string) error
	// sync makes durable what was made, renamed and removed.
	sync() error
	// tend calls work, once few other folders that share its files do, and then closes the
	// files of which there was no use for a while; they open again.
	tend(work func())
	// space is how many bytes may still be written, and how many the disk has in all; ok
	// is false if that is unknown.
	space() (free, total int64, ok bool)
}

// A file is one of the folder's files. Reads and writes do not disturb each other.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	// Sync returns when everything written is durable.
	Sync() error
	// Hold keeps the file open until Close: another one is about to take its name.
	Hold() error
	// Spare lets the file be closed before what was written is durable: nobody needs to
	// know if that fails.
	Spare()
	// Renamed says that the file has another name now.
	Renamed(name string)
	// Reserve takes the disk space for the file to grow to a size, which it does not
	// change. Not every system can.
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

// A namedFile is an osFile, which has its name in the folder.
type namedFile struct {
	*osFile
	in osFolder
}

// Renamed notes the name that the file has now.
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

// spaceError turns err into a [queue.ErrNoSpace] if the disk is full, or if a quota or
// a limit on the size of files is reached.
func spaceError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, errQuota) {
		return fmt.Errorf("%w: %w", queue.ErrNoSpace, err)
	}
	return err
}
