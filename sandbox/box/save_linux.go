//go:build amd64 || arm64

package box

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// Save copies files, folders and links to a folder of the machine, after the session was closed: those of a file system in
// memory, by where it stands, or if at is empty, all that the trial wrote. Devices are left out, and what its owner may not read.
func (s *Session) Save(at, to string) error {
	if at != "" {
		dir, _, err := s.find(filepath.Join(at, "x"))
		if err != nil {
			return err
		}
		defer dir.Close()
		return save("/proc/self/fd/"+strconv.Itoa(int(dir.Fd())), to)
	}
	s.trial.mu.Lock()
	defer s.trial.mu.Unlock()
	if s.trial.live != nil || s.trial.dir == "" {
		return errors.New("files are saved between phases")
	}
	for _, g := range s.trial.groups {
		if err := save(filepath.Join(s.trial.dir, g.upper), filepath.Join(to, g.at)); err != nil {
			return err
		}
	}
	return nil
}

// save copies what is in a folder. No link leads out of it.
func save(from, to string) error {
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer root.Close()
	return os.CopyFS(to, plainFS{root.FS()})
}

// A plainFS has the files that can be copied.
type plainFS struct{ fs.FS }

// ReadDir implements [fs.ReadDirFS].
func (p plainFS) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(p.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		needs := map[fs.FileMode]fs.FileMode{0: 0o400, fs.ModeDir: 0o500, fs.ModeSymlink: 0o400}[e.Type()]
		info, err := e.Info()
		return err != nil || needs == 0 || info.Mode()&needs != needs
	}), err
}

// ReadLink implements [fs.ReadLinkFS].
func (p plainFS) ReadLink(name string) (string, error) { return fs.ReadLink(p.FS, name) }

// Lstat implements [fs.ReadLinkFS].
func (p plainFS) Lstat(name string) (fs.FileInfo, error) { return fs.Lstat(p.FS, name) }
