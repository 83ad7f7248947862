//go:build !nowasm

package memfs

import (
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasi "github.com/tetratelabs/wazero/sys"
)

// A position is one in a file. By its own name, go vet does not take Seek for that of [io.Seeker].
type position = int64

// A file is a file or folder that a program has open.
type file struct {
	sys.UnimplementedFile

	folder         *Folder
	node           *node
	reads, writes  bool
	appends        bool
	at             int64    // of a folder: the number of the next name
	names          []string // of a folder, as it was when it was first read
	listed, closed bool
}

// Dev implements [sys.File].
func (*file) Dev() (uint64, sys.Errno) { return 1, 0 }

// Ino implements [sys.File].
func (f *file) Ino() (wasi.Inode, sys.Errno) { return f.node.inode, 0 }

// IsDir implements [sys.File].
func (f *file) IsDir() (bool, sys.Errno) { return f.node.isDir(), 0 }

// IsAppend implements [sys.File].
func (f *file) IsAppend() bool { return f.appends }

// SetAppend implements [sys.File].
func (f *file) SetAppend(enable bool) sys.Errno {
	f.appends = enable
	return 0
}

// Stat implements [sys.File].
func (f *file) Stat() (wasi.Stat_t, sys.Errno) { return f.node.stat(), 0 }

// Read implements [sys.File].
func (f *file) Read(buf []byte) (int, sys.Errno) {
	n, errno := f.Pread(buf, f.at)
	f.at += int64(n)
	return n, errno
}

// Pread implements [sys.File].
func (f *file) Pread(buf []byte, off int64) (int, sys.Errno) {
	switch {
	case f.node.isDir():
		return 0, sys.EISDIR
	case f.closed || !f.reads:
		return 0, sys.EBADF
	case off < 0:
		return 0, sys.EINVAL
	case off >= int64(len(f.node.data)):
		return 0, 0
	}
	return copy(buf, f.node.data[off:]), 0
}

// Write implements [sys.File].
func (f *file) Write(buf []byte) (int, sys.Errno) {
	if f.appends {
		f.at = int64(len(f.node.data))
	}
	n, errno := f.Pwrite(buf, f.at)
	f.at += int64(n)
	return n, errno
}

// Pwrite implements [sys.File].
func (f *file) Pwrite(buf []byte, off int64) (int, sys.Errno) {
	switch {
	case f.node.isDir():
		return 0, sys.EISDIR
	case f.closed || !f.writes:
		return 0, sys.EBADF
	case off < 0:
		return 0, sys.EINVAL
	case off > f.folder.limits.FileSize-int64(len(buf)):
		return 0, sys.ERANGE
	}
	if end := off + int64(len(buf)); len(buf) > 0 && end > int64(len(f.node.data)) {
		f.folder.resize(f.node, end)
	}
	if len(buf) > 0 {
		copy(f.node.data[off:], buf)
	}
	return len(buf), 0
}

// Truncate implements [sys.File].
func (f *file) Truncate(size int64) sys.Errno {
	switch {
	case f.node.isDir():
		return sys.EISDIR
	case f.closed || !f.writes:
		return sys.EBADF
	case size < 0:
		return sys.EINVAL
	case size > f.folder.limits.FileSize:
		return sys.ERANGE
	}
	f.folder.resize(f.node, size)
	return 0
}

// Seek implements [sys.File].
func (f *file) Seek(offset position, whence int) (position, sys.Errno) {
	if f.node.isDir() {
		if offset != 0 || whence != io.SeekStart {
			return 0, sys.EISDIR
		}
		f.at, f.listed = 0, false
		return 0, 0
	}
	from := map[int]int64{io.SeekStart: 0, io.SeekCurrent: f.at, io.SeekEnd: int64(len(f.node.data))}
	start, known := from[whence]
	if !known || offset > 0 && start+offset < start || start+offset < 0 {
		return 0, sys.EINVAL
	}
	f.at = start + offset
	return f.at, 0
}

// Readdir implements [sys.File].
func (f *file) Readdir(n int) (entries []sys.Dirent, errno sys.Errno) {
	if !f.node.isDir() {
		return nil, sys.ENOTDIR
	}
	if f.closed {
		return nil, sys.EBADF
	}
	if !f.listed {
		f.names, f.listed = slices.Sorted(maps.Keys(f.node.inner)), true
	}
	for ; f.at < int64(len(f.names)) && (n <= 0 || len(entries) < n); f.at++ {
		name := f.names[f.at]
		one := f.node.inner[name]
		if one == nil {
			continue // removed since
		}
		entry := sys.Dirent{Ino: one.inode, Name: name}
		if one.isDir() {
			entry.Type = fs.ModeDir
		}
		entries = append(entries, entry)
	}
	return entries, 0
}

// Sync implements [sys.File].
func (*file) Sync() sys.Errno { return 0 }

// Datasync implements [sys.File].
func (*file) Datasync() sys.Errno { return 0 }

// Utimens implements [sys.File].
func (f *file) Utimens(_, mtim int64) sys.Errno {
	f.node.touch(mtim)
	return 0
}

// Close implements [sys.File].
func (f *file) Close() sys.Errno {
	if f.closed {
		return 0
	}
	f.closed = true
	f.folder.open--
	f.node.users--
	f.folder.free(f.node)
	return 0
}
