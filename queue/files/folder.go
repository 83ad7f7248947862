package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/quintain-rl/quintain/datadir"
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
	// Reserve takes the disk space for the file to grow to a size, which it does not
	// change. Not every system can.
	Reserve(size int64) error
}

// An osFolder is a folder of the operating system, by its path.
type osFolder string

func (d osFolder) path(name string) string { return filepath.Join(string(d), name) }

func (d osFolder) open(name string) (file, error) {
	f, err := os.OpenFile(d.path(name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (d osFolder) names() ([]string, error) {
	list, err := os.ReadDir(string(d))
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

func (d osFolder) rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }
func (d osFolder) remove(name string) error     { return os.Remove(d.path(name)) }

func (d osFolder) sync() error { return datadir.SyncFolder(string(d)) }

func (d osFolder) space() (free, total int64, ok bool) { return diskSpace(string(d)) }

// An osFile is a file of the operating system.
type osFile struct{ *os.File }

// Size is the size in bytes.
func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Sync waits until the data is on disk, with as much of the rest as reading it needs.
func (f osFile) Sync() error { return syncData(f.File) }

// Reserve takes disk space if the system can.
func (f osFile) Reserve(size int64) error { return reserve(f.File, size) }

// spaceError turns err into a [queue.ErrNoSpace] if the disk is full, or if a quota or
// a limit on the size of files is reached.
func spaceError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, errQuota) {
		return fmt.Errorf("%w: %w", queue.ErrNoSpace, err)
	}
	return err
}
