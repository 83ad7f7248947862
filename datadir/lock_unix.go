//go:build unix

package datadir

import (
	"errors"
	"os"
	"syscall"
)

// lockFile opens a file and locks it until it is closed or the process ends, in
// whatever way.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("another process uses it; stop that process, or choose another folder with --data")
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
