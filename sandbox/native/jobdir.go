package native

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"

	"github.com/quintain-rl/quintain/sandbox"
)

// A jobDir is the folder of one job.
type jobDir struct {
	Path string
	root *os.Root
}

// newJobDir makes a folder below parent and writes the job's files. If owner is not -1, all belong
// to this user. The caller must Remove it.
func newJobDir(parent string, owner int, files map[string][]byte) (*jobDir, error) {
	name, err := os.MkdirTemp(parent, "job-")
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, errors.Join(err, os.Remove(name))
	}
	f := &jobDir{Path: name, root: root}
	if err := f.fill(owner, files); err != nil {
		return nil, errors.Join(fmt.Errorf("the files of a job: %w", err), f.Remove())
	}
	return f, nil
}

// fill writes files, and gives everything to its owner.
func (f *jobDir) fill(owner int, files map[string][]byte) error {
	for name, content := range files {
		if err := f.root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o700); err != nil {
			return err
		}
		if err := f.root.WriteFile(filepath.FromSlash(name), content, 0o700); err != nil {
			return err
		}
	}
	if owner < 0 {
		return nil
	}
	return fs.WalkDir(f.root.FS(), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return f.root.Lchown(name, owner, owner)
	})
}

// block is what a folder takes of the disk if it has never had many files.
const block = 4096

// Use adds up the bytes and the number of the files and folders, until one is beyond its
// limit, long folders too. A program may be changing them at the same time.
func (f *jobDir) Use(limits sandbox.Limits) (bytes int64, files int) {
	_ = fs.WalkDir(f.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if name != "." {
			files++
		}
		if err == nil {
			if info, err := d.Info(); err == nil && d.IsDir() {
				bytes += max(0, info.Size()-block) // a folder that had many files stays long
			} else if err == nil {
				bytes += info.Size()
			}
		}
		if bytes > limits.Disk || files > limits.Files {
			return fs.SkipAll
		}
		return nil // what cannot be read counts as a file
	})
	return bytes, files
}

// Fetch reads those of the files that are regular and not larger than most bytes together. No
// link of any kind leads out of the folder. The program must have ended.
func (f *jobDir) Fetch(names []string, most int64) map[string][]byte {
	got := map[string][]byte{}
	for _, name := range names {
		content, err := f.read(filepath.FromSlash(name), most)
		if err != nil {
			continue // for the program to mend: it is as if there were no such file
		}
		most -= int64(len(content))
		got[name] = content
	}
	return got
}

var errNotPlain = errors.New("not a regular file, or too large")

// read reads a regular file of no more bytes than most.
func (f *jobDir) read(name string, most int64) ([]byte, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, errNotPlain
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most))
}

// Remove removes the folder. The program must have ended. Folders of any depth and without
// any permission go too: Remove moves their contents up, so that it never goes deep.
func (f *jobDir) Remove() error {
	err := f.empty()
	return errors.Join(err, f.root.Close(), os.Remove(f.Path))
}

// RemoveTree removes a folder of ours in which no program runs any more, whatever depth and permissions its folders have.
func RemoveTree(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrPermission) && os.Chmod(dir, 0o700) == nil {
		root, err = os.OpenRoot(dir)
	}
	if err != nil {
		return err
	}
	return (&jobDir{Path: dir, root: root}).Remove()
}

// empty removes everything in the folder.
func (f *jobDir) empty() error {
	for next := 0; ; {
		names, err := f.list(".")
		if err != nil || len(names) == 0 {
			return err
		}
		for _, name := range names {
			if f.root.Remove(name) == nil {
				continue
			}
			if err := f.flatten(name, &next); err != nil {
				return err
			}
		}
	}
}

// flatten moves the contents of a folder up, under names that count on from next, and removes
// it.
func (f *jobDir) flatten(folder string, next *int) error {
	if err := f.root.Chmod(folder, 0o700); err != nil {
		return err
	}
	names, err := f.list(folder)
	if err != nil {
		return err
	}
	for _, name := range names {
		from := filepath.Join(folder, name)
		if f.root.Remove(from) == nil {
			continue
		}
		if err := f.root.Chmod(from, 0o700); err != nil { // moving a folder writes to it
			return err
		}
		if err := f.root.Rename(from, f.free(next)); err != nil {
			return err
		}
	}
	return f.root.Remove(folder)
}

// free finds a name that nothing has.
func (f *jobDir) free(next *int) string {
	for {
		*next++
		name := "quintain-moved-" + strconv.Itoa(*next)
		if _, err := f.root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
	}
}

// list lists the names in a folder.
func (f *jobDir) list(folder string) ([]string, error) {
	d, err := f.root.Open(folder)
	if errors.Is(err, fs.ErrPermission) && folder == "." && f.root.Chmod(".", 0o700) == nil {
		d, err = f.root.Open(folder)
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	return d.Readdirnames(-1)
}
