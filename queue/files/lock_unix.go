//go:build linux || darwin

package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/quintain-rl/quintain/queue"
)

// lockFolder locks the folder for this process until it is closed or the process ends.
// The lock is on the folder itself, so that nobody can delete it. Some network file
// systems lock only files: there it is on a file in the folder.
func lockFolder(dir string) (io.Closer, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, queue.ErrInUse), f.Close())
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return lockFile(filepath.Join(dir, lockName))
}

// lockName is the file that is locked where a folder cannot be.
const lockName = "lock"

func lockFile(name string) (io.Closer, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = queue.ErrInUse
	}
	return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
}

// diskSpace is what an ordinary user may still write to the disk of dir, and the size of
// that disk.
func diskSpace(dir string) (free, total int64, ok bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), true
}
