//go:build unix

package datadir

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// A folderLock is held until it is closed or the process ends, however it ends.
type folderLock struct{ folder, file *os.File }

// Close gives the folder free.
func (l folderLock) Close() error { return errors.Join(l.file.Close(), l.folder.Close()) }

// lockFolder locks a folder: the folder itself, since nobody can delete that, and a file
// in it, since some network file systems lock only files.
func lockFolder(path string) (_ io.Closer, err error) {
	var l folderLock
	if l.folder, err = os.Open(path); err != nil {
		return nil, err
	}
	if err := lock(l.folder); errors.Is(err, errInUse) {
		return nil, errors.Join(err, l.folder.Close())
	}
	if l.file, err = os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return nil, errors.Join(err, l.folder.Close())
	}
	if err := lock(l.file); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

var errInUse = errors.New("another process uses it; stop that one, or choose another folder with --data")

func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errInUse
	}
	return err
}
