package image

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of names. Longer ones no program can use.
const (
	maxName  = 255
	maxDepth = 200 // folders above each other: each is open while the archive is below it
)

// A tree is a folder that is being filled. It opens one folder after the other, each by a name without a slash and never through a
// link: so nothing leads out of it, on any kernel. A folder that is left has the time that it had when it was entered.
type tree struct {
	root  int
	path  []string // the open folders below the root, outermost first
	fds   []int
	times []unix.Timespec
}

// cleanPath splits a name of an archive: below the root, without "." and "..".
func cleanPath(name string) ([]string, error) {
	clean := path.Clean("/" + name)[1:]
	if clean == "" {
		return nil, nil
	}
	parts := strings.Split(clean, "/")
	if len(clean) > maxPath || len(parts) > maxDepth || strings.ContainsRune(name, 0) {
		return nil, fmt.Errorf("the name %.100q has %d bytes and %d parts; at most %d and %d are allowed, and no NUL", name, len(name), len(parts), maxPath, maxDepth)
	}
	for _, part := range parts {
		if len(part) > maxName {
			return nil, fmt.Errorf("the name %.100q has a part of %d bytes, at most %d are allowed", name, len(part), maxName)
		}
	}
	return parts, nil
}

// top is the innermost open folder.
func (t *tree) top() int {
	if len(t.fds) == 0 {
		return t.root
	}
	return t.fds[len(t.fds)-1]
}

// enter opens a folder. Where one is missing, make is called, with the folder above and its path, to make it or say why not.
func (t *tree) enter(parts []string, missing func(dir int, parts []string, err error) error) (fd int, err error) {
	same := 0
	for same < min(len(parts), len(t.path)) && parts[same] == t.path[same] {
		same++
	}
	t.leave(same)
	for i := same; i < len(parts); i++ {
		fd, err := openFolder(t.top(), parts[i])
		if err != nil {
			if err = missing(t.top(), parts[:i+1], err); err == nil {
				fd, err = openFolder(t.top(), parts[i])
			}
		}
		if err != nil {
			return -1, err
		}
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return -1, errors.Join(err, unix.Close(fd))
		}
		t.path, t.fds, t.times = append(t.path, parts[i]), append(t.fds, fd), append(t.times, st.Mtim)
	}
	return t.top(), nil
}

// leave closes the folders below the outermost keep.
func (t *tree) leave(keep int) {
	for i := len(t.fds) - 1; i >= keep; i-- {
		_ = unix.UtimesNanoAt(t.fds[i], ".", []unix.Timespec{t.times[i], t.times[i]}, 0) // a time that the disk refuses is not worth an error
		_ = unix.Close(t.fds[i])                                                         // it was only read
	}
	t.path, t.fds, t.times = t.path[:keep], t.fds[:keep], t.times[:keep]
}

// absent is for [tree.enter]: nothing is made.
func absent(_ int, parts []string, err error) error {
	return fmt.Errorf("%s: %w", strings.Join(parts, "/"), notFolder(err))
}

// notFolder says in words that a folder is none.
func notFolder(err error) error {
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return errors.New("it is no folder of this layer, but a file or a link, and entries are below it")
	}
	return err
}

func openFolder(dir int, name string) (int, error) {
	return unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// kindOf returns the kind of a file, of unix.S_IFMT, and whether it is a whiteout; 0: there is none.
func kindOf(dir int, name string) (kind uint32, whiteout bool) {
	var st unix.Stat_t
	if err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, false
	}
	kind = st.Mode & unix.S_IFMT
	return kind, kind == unix.S_IFCHR && st.Rdev == 0
}

// opaqueName is the extended attribute of folders that hide those of lower layers, in an overlay of a user namespace.
const opaqueName = "user.overlay.opaque"

// opaque has a folder hide those of lower layers.
func opaque(dir int, name string) error {
	fd, err := openFolder(dir, name)
	if err != nil {
		return err
	}
	return errors.Join(unix.Fsetxattr(fd, opaqueName, []byte("y"), 0), unix.Close(fd))
}

// whiteout makes a file that hides those of lower layers.
func whiteout(dir int, name string) error { return unix.Mknodat(dir, name, unix.S_IFCHR, 0) }

// setTime sets the time of a file, or of the link that it is.
func setTime(dir int, name string, at time.Time) error {
	ts, err := unix.TimeToTimespec(at)
	if s := at.Unix(); err != nil || s <= -1<<33 || s >= 1<<33 { // it fits in no file system
		ts = unix.Timespec{}
	}
	return unix.UtimesNanoAt(dir, name, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
}
