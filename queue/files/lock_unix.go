//go:build linux || darwin

package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/quintain-rl/quintain/queue"
)

// lockFile locks the file for this process until it is closed or the process ends.
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

// freeBytes is what an ordinary user may still write to the disk of dir.
func freeBytes(dir string) (n int64, ok bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}
