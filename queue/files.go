package queue

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// files is a folder of a disk, as far as a store needs one; tests have it fail.
type files interface {
	// open opens a file for reading and writing, and makes it where it is not there.
	open(name string) (file, error)
	// names are those of all files.
	names() ([]string, error)
	rename(from, to string) error
	remove(name string) error
	// sync makes what was made, renamed and removed durable.
	sync() error
	// free is how many bytes may still be written; ok is false where that is not known.
	free() (n int64, ok bool)
}

// A file is one of them. Reading and writing do not disturb each other.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	// Sync returns when all that was written is durable.
	Sync() error
}

// osFiles is a folder of the operating system.
type osFiles string

func (d osFiles) path(name string) string { return filepath.Join(string(d), name) }

func (d osFiles) open(name string) (file, error) {
	f, err := os.OpenFile(d.path(name), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (d osFiles) names() ([]string, error) {
	list, err := os.ReadDir(string(d))
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

func (d osFiles) rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }
func (d osFiles) remove(name string) error     { return os.Remove(d.path(name)) }

func (d osFiles) sync() error {
	f, err := os.Open(string(d))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d osFiles) free() (int64, bool) { return freeBytes(string(d)) }

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

// Sync waits until the data, and of the rest what is needed to read it, are on disk.
func (f osFile) Sync() error { return syncData(f.File) }

// spaceError makes err an [ErrNoSpace] where a disk, a quota or a limit on the size
// of files is what it is about.
func spaceError(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, errQuota) {
		return fmt.Errorf("%w: %w", ErrNoSpace, err)
	}
	return err
}
