package image

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a file of locks/ until unlock, or the end of the process.
func (s *disk) lock(name string, how locking) (*os.File, error) {
	f, err := os.OpenFile(s.path("locks", name), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := flock(f, how); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// flock locks an open file.
func flock(f *os.File, how locking) error {
	for {
		switch err := unix.Flock(int(f.Fd()), []int{unix.LOCK_SH, unix.LOCK_EX, unix.LOCK_EX | unix.LOCK_NB}[how]); {
		case err == nil:
			return nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrInUse
		case !errors.Is(err, unix.EINTR):
			return fmt.Errorf("locking %s: %w", f.Name(), err)
		}
	}
}

// unlock unlocks and closes a file: a process that is being started has it, too, until its program runs.
func unlock(f *os.File) {
	_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // closing it unlocks, too
	_ = f.Close()
}

// syncDisk makes all of a file system durable.
func syncDisk(fd int) error { return unix.Syncfs(fd) }
