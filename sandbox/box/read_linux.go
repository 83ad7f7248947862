//go:build amd64 || arm64

package box

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Read reads a regular file with one name, of at most so many bytes, after the session was closed: in a mount of the phase, or
// among what the trial changed; what it left as the image has it is absent. No link is followed. The errors are [ErrAbsent],
// [ErrNotRegular], [ErrTooLarge], and those of the machine. File systems in memory are kept until the next phase begins or the
// trial is closed.
func (s *Session) Read(name string, most int64) ([]byte, error) {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if !closed {
		return nil, errors.New("files are read after the session was closed")
	}
	dir, rest, err := s.find(path.Clean("/" + name))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	var stat unix.Stat_t
	if err := unix.Fstatat(int(dir.Fd()), rest, &stat, unix.AT_SYMLINK_NOFOLLOW); err == nil && stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular) // opening a device may do something
	}
	fd, err := unix.Openat2(int(dir.Fd()), rest, &how)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return nil, fmt.Errorf("%s: %w", name, ErrAbsent)
	case errors.Is(err, unix.ELOOP), errors.Is(err, unix.EXDEV), errors.Is(err, unix.ENXIO), errors.Is(err, unix.EACCES):
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	case err != nil:
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	return readWhole(f, most)
}

// readWhole reads an open file.
func readWhole(f *os.File, most int64) ([]byte, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &stat); err != nil {
		return nil, err
	}
	switch {
	case stat.Mode&unix.S_IFMT != unix.S_IFREG || stat.Nlink != 1:
		return nil, fmt.Errorf("%s: %w", f.Name(), ErrNotRegular)
	case stat.Size > most:
		return nil, fmt.Errorf("%s: %w: %d bytes, want %d at most", f.Name(), ErrTooLarge, stat.Size, most)
	}
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(raw)) > most {
		err = fmt.Errorf("%s: %w", f.Name(), ErrTooLarge)
	}
	return raw, err
}

// find opens the folder that a path is in, as far as it is a mount or an overlay, and tells the rest of the path.
func (s *Session) find(name string) (dir *os.File, rest string, err error) {
	best := Mount{}
	for _, m := range s.phase.Mounts {
		m.At = path.Clean("/" + m.At)
		if strings.HasPrefix(name, m.At+"/") && len(m.At) >= len(best.At) {
			best = m
		}
	}
	host := best.Host
	rest = strings.TrimPrefix(name, best.At+"/")
	switch {
	case best.At == "":
		i, names := s.trial.groupOf(parts(name))
		host, rest = filepath.Join(s.trial.dir, s.trial.groups[i].upper), path.Join(names...)
	case host == "":
		memory := s.memory[best.At]
		if memory == nil {
			return nil, "", fmt.Errorf("%s: %w", name, ErrAbsent)
		}
		again, err := unix.FcntlInt(memory.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		return os.NewFile(uintptr(again), best.At), rest, err
	}
	fd, err := unix.Open(host, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, "", &os.PathError{Op: "open", Path: host, Err: err}
	}
	return os.NewFile(uintptr(fd), host), rest, nil
}
