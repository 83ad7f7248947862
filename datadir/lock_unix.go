//go:build unix

package datadir

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockFolder locks a folder until it is closed or the process ends, however it ends.
// The lock is on the folder itself, so that nobody can delete it. Some network file
// systems lock only files: there it is on the file lock in the folder.
func lockFolder(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err == nil {
		err = lock(f)
	}
	if err == nil || errors.Is(err, errInUse) {
		return f, err
	}
	if f, err = os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o644); err != nil {
		return nil, err
	}
	return f, lock(f)
}

var errInUse = errors.New("another process uses it; stop that one, or choose another folder with --data")

// lock locks f, or closes it.
func lock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errInUse
		}
		return errors.Join(err, f.Close())
	}
	return nil
}
