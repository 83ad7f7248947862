//go:build amd64 || arm64

package box

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mostChanges bounds the list of changes; all are counted.
const mostChanges = 10_000

// deepest is how deep folders are looked at: deeper than programs make them.
const deepest = 500

// walk calls f for all below a folder, in order of names, with their paths from there. It follows no link, and looks into
// folders that their owner closed, but into none that is too deep, and reports whether there are such.
func walk(dir string, f func(name string, stat *unix.Stat_t)) (deep bool) {
	root, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	type level struct {
		fd    int
		name  string
		names []string
	}
	open := func(fd int, name string) level {
		file := os.NewFile(uintptr(fd), name)
		names, _ := file.Readdirnames(-1) // one that is being removed has none
		slices.Sort(names)
		again, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		_ = file.Close()
		if err != nil {
			return level{-1, name, nil}
		}
		return level{again, name, names}
	}
	stack := []level{open(root, "")}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if len(top.names) == 0 {
			_ = unix.Close(top.fd)
			stack = stack[:len(stack)-1]
			continue
		}
		name := top.names[0]
		top.names = top.names[1:]
		var stat unix.Stat_t
		if unix.Fstatat(top.fd, name, &stat, unix.AT_SYMLINK_NOFOLLOW) != nil {
			continue
		}
		whole := path.Join(top.name, name)
		f(whole, &stat)
		if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			continue
		}
		if len(stack) > deepest {
			deep = true
			continue
		}
		if fd, err := enter(top.fd, name, stat.Mode); err == nil {
			stack = append(stack, open(fd, whole))
		}
	}
	return deep
}

// enter opens a folder, also one that its owner closed.
func enter(dir int, name string, mode uint32) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := unix.Openat(dir, name, flags, 0)
	if !errors.Is(err, unix.EACCES) {
		return fd, err
	}
	if err := unix.Fchmodat(dir, name, 0o700, 0); err != nil {
		return -1, err
	}
	fd, err = unix.Openat(dir, name, flags, 0)
	return fd, errors.Join(err, unix.Fchmodat(dir, name, mode&0o7777, 0))
}

// Changes tells what the trial changed, between phases. What stood in the way of a mount has another name by then.
func (t *Trial) Changes() (c Changes, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.live != nil || t.dir == "" {
		return c, errors.New("changes are told between phases")
	}
	for i, g := range t.groups {
		upper := filepath.Join(t.dir, g.upper)
		walk(upper, func(name string, stat *unix.Stat_t) {
			one := Change{Path: path.Join("/", g.at, name), Kind: kind(stat)}
			if one.Kind == "folder" {
				one.Opaque = opaque(filepath.Join(upper, name))
				if !one.Opaque && t.had(i, one.Path, name) {
					return
				}
			}
			if one.Kind == "file" {
				one.Bytes = stat.Size
			}
			one.System = system(one.Path)
			c.Count++
			if c.Bytes += one.Bytes; len(c.Some) < mostChanges {
				c.Some = append(c.Some, one)
			}
		})
	}
	slices.SortFunc(c.Some, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	return c, nil
}

// kind names the kind of a file in a folder of changes.
func kind(stat *unix.Stat_t) string {
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return "file"
	case unix.S_IFDIR:
		return "folder"
	case unix.S_IFLNK:
		return "link"
	case unix.S_IFIFO:
		return "fifo"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFCHR:
		if stat.Rdev == 0 {
			return "removed"
		}
	}
	return "device"
}

// had reports whether a folder is the image's, or the way to a mount.
func (t *Trial) had(i int, whole, name string) bool {
	if _, kind := t.find(i, parts(name)); kind == unix.S_IFDIR {
		return true
	}
	for point := range t.points {
		if point == whole || strings.HasPrefix(point, whole+"/") {
			return true
		}
	}
	return false
}

// systemFolders begin the names of files that decide how programs run.
var systemFolders = []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/", "/libx32/", "/etc/", "/boot/"}

// started are names of files that shells, Python and its test programs read by themselves.
var started = []string{
	".bashrc", ".profile", ".bash_profile", ".bash_login", ".zshrc", ".zshenv", ".pythonrc.py", "conftest.py", "pytest.ini", "tox.ini",
	"sitecustomize.py", "usercustomize.py", ".gitconfig", ".npmrc", "pip.conf", ".pdbrc",
}

// system reports whether a file may decide how programs run.
func system(whole string) bool {
	under := slices.ContainsFunc(systemFolders, func(dir string) bool { return strings.HasPrefix(whole+"/", dir) })
	return under || slices.Contains(started, path.Base(whole)) || strings.HasSuffix(whole, ".pth")
}

// hide takes new names out of the root, if a phase asks for it, but for those on the way to its working folder and its
// mounts.
func (t *Trial) hide(p Phase) error {
	keep := map[string]bool{}
	ways := []string{p.Dir, "/dev", "/proc", "/sys", "/tmp"}
	for _, m := range p.Mounts {
		ways = append(ways, m.At)
	}
	for _, way := range ways {
		if names := parts(way); len(names) > 0 {
			keep[names[0]] = true
		}
	}
	for point := range t.points {
		keep[parts(point)[0]] = true
	}
	if !slices.ContainsFunc(p.Pristine, func(at string) bool { return len(parts(at)) == 0 }) {
		return nil
	}
	upper := filepath.Join(t.dir, t.groups[0].upper)
	entries, err := os.ReadDir(upper)
	for _, entry := range entries {
		name := entry.Name()
		if _, kind := t.find(0, []string{name}); kind != 0 || keep[name] || entry.Type()&fs.ModeCharDevice != 0 {
			continue
		}
		to := filepath.Join(t.dir, "hidden-"+nonce())
		err = errors.Join(err, os.Rename(filepath.Join(upper, name), to))
	}
	return err
}
