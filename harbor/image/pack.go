package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// made is the time of what we make: a layer of ours depends on names and contents alone. Zip knows no time before 1980.
func made() time.Time { return time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC) }

// An item is a file, folder, link or fifo of a layer of our own.
type item struct {
	name string      // below the root, without a slash at its beginning
	mode fs.FileMode // kind and permissions
	link string      // where a link leads, or the name of which a file is another
	size int64
	time time.Time // zero: made
	open func() (io.ReadCloser, error)
}

// folder and text return items with a content that we know.
func folderItem(name string, mode fs.FileMode) item { return item{name: name, mode: fs.ModeDir | mode} }
func textItem(name, text string) item {
	return item{name: name, mode: 0o644, size: int64(len(text)), open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// write writes an item into an archive. It belongs to root.
func (it item) write(t *tar.Writer) error {
	h := &tar.Header{Name: it.name, Linkname: it.link, Mode: int64(it.mode.Perm()), ModTime: it.time}
	if h.ModTime.IsZero() {
		h.ModTime = made()
	}
	for bit, value := range map[fs.FileMode]int64{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if it.mode&bit != 0 {
			h.Mode |= value
		}
	}
	switch kind := it.mode.Type(); {
	case kind == fs.ModeDir:
		h.Typeflag = tar.TypeDir
		h.Name += "/"
	case kind == fs.ModeSymlink:
		h.Typeflag = tar.TypeSymlink
	case kind == fs.ModeNamedPipe:
		h.Typeflag = tar.TypeFifo
	case kind == 0 && it.link != "":
		h.Typeflag = tar.TypeLink
	case kind == 0:
		h.Typeflag, h.Size = tar.TypeReg, it.size
	default:
		return fmt.Errorf("%s is no file, folder or link", it.name)
	}
	if err := t.WriteHeader(h); err != nil || h.Typeflag != tar.TypeReg {
		return err
	}
	f, err := it.open()
	if err != nil {
		return err
	}
	defer f.Close()
	if n, err := io.Copy(t, io.LimitReader(f, it.size)); err != nil || n < it.size {
		return fmt.Errorf("%s is shorter than it was: %w", it.name, errors.Join(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// itemOf returns a file of a folder, by its name there, as an item of another name.
func itemOf(root *os.Root, from, name string) (it item, err error) {
	info, err := root.Lstat(from)
	if err != nil {
		return it, err
	}
	it = item{name: name, mode: info.Mode(), size: info.Size(), open: func() (io.ReadCloser, error) { return root.Open(from) }}
	if info.Mode().Type() == fs.ModeSymlink {
		it.link, err = root.Readlink(from)
	}
	return it, err
}

// packFolder packs all of a root file system, with the times of its files. Sockets and devices are left out.
func packFolder(t *tar.Writer, root *os.Root) error {
	first := map[string]string{} // names of files with several, by their number on the disk
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		it, err := itemOf(root, name, path.Clean(name))
		if err != nil {
			return err
		}
		if it.mode.Type()&(fs.ModeDevice|fs.ModeSocket|fs.ModeIrregular) != 0 {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		it.time = info.ModTime()
		if key := diskNumber(info); key != "" && it.mode.IsRegular() {
			if it.link = first[key]; it.link == "" {
				first[key] = it.name
			}
		}
		return it.write(t)
	})
}
