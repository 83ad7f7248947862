//go:build unix

package datadir

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// A folderLock is two locked files: the folder, and a file in it.
type folderLock struct{ folder, file io.Closer }

// Close unlocks the folder.
func (l folderLock) Close() error { return errors.Join(l.file.Close(), l.folder.Close()) }

// A lockedFile unlocks itself before it is closed: a process that is being started has the file, too,
// until its program runs.
type lockedFile struct{ *os.File }

// Close implements [io.Closer].
func (f lockedFile) Close() error {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // closing it unlocks, too
	return f.File.Close()
}

func lockFolder(path string) (_ io.Closer, err error) {
	var l folderLock
	if l.folder, err = openLocked(path); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, errors.Join(err, l.folder.Close())
	}
	l.file = lockedFile{f}
	if err := flock(f); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func lockToRead(path string) (io.Closer, error) { return openLocked(path) }

func inUse(path string) (used, known bool) {
	lock, err := openLocked(path)
	if err != nil {
		return errors.Is(err, ErrInUse), errors.Is(err, ErrInUse)
	}
	return false, lock.Close() == nil
}

// openLocked opens and locks a folder, if its file system supports locks.
func openLocked(path string) (io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err := flock(f); errors.Is(err, ErrInUse) {
		return nil, errors.Join(err, f.Close())
	}
	return lockedFile{f}, nil
}

// flock locks a file for this process, or returns [ErrInUse].
func flock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrInUse
	}
	return err
}
