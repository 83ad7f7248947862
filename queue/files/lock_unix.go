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

// A folderLock is held until it is closed or the process ends.
type folderLock struct{ folder, file *os.File }

// Close gives the folder free.
func (l folderLock) Close() error { return errors.Join(l.file.Close(), l.folder.Close()) }

// lockFolder locks the folder for this process: the folder itself, since nobody can
// delete that, and a file in it, since some network file systems lock only files.
func lockFolder(dir string) (_ io.Closer, err error) {
	var l folderLock
	if l.folder, err = os.Open(dir); err != nil {
		return nil, err
	}
	if err := lock(l.folder); errors.Is(err, queue.ErrInUse) {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), l.folder.Close())
	}
	l.file, err = os.OpenFile(filepath.Join(dir, lockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, errors.Join(err, l.folder.Close())
	}
	if err := lock(l.file); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", l.file.Name(), err), l.Close())
	}
	return l, nil
}

// lockToRead locks the folder itself, and writes nothing.
func lockToRead(dir string) (io.Closer, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := lock(f); errors.Is(err, queue.ErrInUse) {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), f.Close())
	}
	return f, nil
}

func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return queue.ErrInUse
	}
	return err
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
