package image

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A held image is locked as long as somebody in this process uses it.
type held struct {
	users int
	file  *os.File
}

// Hold keeps an image from being removed until it is released, however often this process holds it. The error is [ErrNoImage] if the
// store has it no more.
func (s *Store) Hold(digest string) (release func(), err error) {
	if !isDigest(digest) {
		return nil, fmt.Errorf("%q: %w", digest, ErrNoImage)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.held[digest]
	if h == nil {
		f, err := s.lock(hexOf(digest), shared)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(s.manifestPath(digest)); err != nil {
			unlock(f)
			return nil, fmt.Errorf("%s: %w", digest, ErrNoImage)
		}
		_ = os.Chtimes(f.Name(), time.Now(), time.Now()) // gc asks when it was used last, and may do without
		h = &held{file: f}
		s.held[digest] = h
	}
	h.users++
	return s.releaser(digest, h), nil
}

// releaser returns a function that gives up one hold, once.
func (s *Store) releaser(digest string, h *held) func() {
	done := false
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if done {
			return
		}
		done = true
		if h.users--; h.users == 0 {
			delete(s.held, digest)
			unlock(h.file)
		}
	}
}

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
