//go:build !nowasm

// Package memfs is the folder of a job of package wasm: in memory, so that no path of a program
// can lead to a file of the machine. It knows files and folders, and no links of any kind.
package memfs

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasi "github.com/tetratelabs/wazero/sys"
)

// Limits bound a folder.
type Limits struct {
	FileSize int64 // bytes of a file
	Disk     int64 // bytes of all files, also of those that are removed while they are open
	Files    int   // files and folders
	Open     int   // of files and folders, at the same time
}

// A Folder is the folder of one job. It is for one goroutine.
type Folder struct {
	sys.UnimplementedFS // links

	// Full is called when the limit of Disk or Files is passed. It must not return.
	Full func()

	limits Limits
	root   *node
	inodes uint64 // given so far
	bytes  int64
	files  int
	open   int
}

// A node is a file or a folder.
type node struct {
	inode uint64
	inner map[string]*node // nil: it is a file
	data  []byte
	time  int64 // of the last change, in nanoseconds
	links int   // names; 0: it is removed
	users int   // that have it open
}

func (n *node) isDir() bool { return n.inner != nil }

// New returns an empty folder.
func New(limits Limits) *Folder {
	f := &Folder{limits: limits, Full: func() { panic("the folder is full") }}
	f.root = f.make(true)
	f.root.links = 1
	return f
}

// Put adds a file with its folders, by a plain relative name. It counts, and is not limited.
func (f *Folder) Put(name string, content []byte) {
	at := f.root
	names := strings.Split(name, "/")
	for _, folder := range names[:len(names)-1] {
		if at.inner[folder] == nil {
			f.enter(at, folder, f.make(true))
		}
		at = at.inner[folder]
	}
	file := f.make(false)
	file.data = content
	f.bytes += int64(len(content))
	f.enter(at, names[len(names)-1], file)
}

// Get returns the content of a file of at most so many bytes.
func (f *Folder) Get(name string, most int64) (content []byte, found bool) {
	n, errno := f.find(name)
	if errno != 0 || n.isDir() || int64(len(n.data)) > most {
		return nil, false
	}
	return n.data, true
}

// make makes a node without a name.
func (f *Folder) make(dir bool) *node {
	f.inodes++
	n := &node{inode: f.inodes, time: time.Now().UnixNano()}
	if dir {
		n.inner = map[string]*node{}
	}
	return n
}

// enter gives a node a name.
func (f *Folder) enter(folder *node, name string, n *node) {
	folder.inner[name] = n
	folder.time = time.Now().UnixNano()
	n.links++
	f.files++
}

// leave takes the name of a node.
func (f *Folder) leave(folder *node, name string) {
	n := folder.inner[name]
	delete(folder.inner, name)
	folder.time = time.Now().UnixNano()
	n.links--
	f.files--
	f.free(n)
}

// free frees the bytes of a file that nobody can reach.
func (f *Folder) free(n *node) {
	if n.links == 0 && n.users == 0 {
		f.bytes -= int64(len(n.data))
		n.data = nil
	}
}

// room makes sure that there is room for one more file.
func (f *Folder) room() {
	if f.files >= f.limits.Files {
		f.Full()
	}
}

// maxName is the most bytes of a name.
const maxName = 255

// split returns the names of a path, which never leads above the root.
func split(name string) (names []string) {
	clean := strings.TrimPrefix(path.Clean("/"+name), "/")
	if clean == "" {
		return nil
	}
	return strings.Split(clean, "/")
}

// find finds a node.
func (f *Folder) find(name string) (*node, sys.Errno) {
	at := f.root
	for _, one := range split(name) {
		if !at.isDir() {
			return nil, sys.ENOTDIR
		}
		if at = at.inner[one]; at == nil {
			return nil, sys.ENOENT
		}
	}
	if strings.HasSuffix(name, "/") && !at.isDir() {
		return nil, sys.ENOTDIR
	}
	return at, 0
}

// parent finds the folder of a name that need not exist, and the node if it does.
func (f *Folder) parent(name string) (folder *node, base string, n *node, errno sys.Errno) {
	names := split(name)
	if len(names) == 0 {
		return nil, "", nil, sys.EPERM
	}
	base = names[len(names)-1]
	if len(base) > maxName {
		return nil, "", nil, sys.ENAMETOOLONG
	}
	folder, errno = f.find(strings.Join(names[:len(names)-1], "/"))
	if errno != 0 {
		return nil, "", nil, errno
	}
	if !folder.isDir() {
		return nil, "", nil, sys.ENOTDIR
	}
	return folder, base, folder.inner[base], 0
}

// OpenFile implements [sys.FS].
func (f *Folder) OpenFile(name string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	if f.open >= f.limits.Open {
		return nil, sys.EAGAIN
	}
	n, errno := f.find(name)
	if errno == sys.ENOENT && flag&sys.O_CREAT != 0 && !strings.HasSuffix(name, "/") {
		n, errno = f.create(name)
	} else if errno == 0 && flag&sys.O_CREAT != 0 && flag&sys.O_EXCL != 0 {
		return nil, sys.EEXIST
	}
	if errno != 0 {
		return nil, errno
	}
	writes := flag&(sys.O_RDWR|sys.O_WRONLY) != 0
	if n.isDir() && (writes || flag&sys.O_TRUNC != 0) {
		return nil, sys.EISDIR
	}
	if !n.isDir() && flag&sys.O_DIRECTORY != 0 {
		return nil, sys.ENOTDIR
	}
	if flag&sys.O_TRUNC != 0 {
		f.resize(n, 0)
	}
	f.open++
	n.users++
	return &file{folder: f, node: n, reads: flag&sys.O_WRONLY == 0, writes: writes, appends: flag&sys.O_APPEND != 0}, 0
}

// create makes an empty file.
func (f *Folder) create(name string) (*node, sys.Errno) {
	folder, base, _, errno := f.parent(name)
	if errno != 0 {
		return nil, errno
	}
	f.room()
	n := f.make(false)
	f.enter(folder, base, n)
	return n, 0
}

// resize changes the size of a file to one within the limit of a file.
func (f *Folder) resize(n *node, size int64) {
	more := size - int64(len(n.data))
	if more > 0 && f.bytes+more > f.limits.Disk {
		f.Full()
	}
	f.bytes += more
	if more <= 0 {
		clear(n.data[size:]) // which a larger size would show again
		n.data = n.data[:size]
	} else {
		n.data = slices.Grow(n.data, int(more))[:size]
	}
	n.time = time.Now().UnixNano()
}

// Stat implements [sys.FS].
func (f *Folder) Stat(name string) (wasi.Stat_t, sys.Errno) {
	n, errno := f.find(name)
	if errno != 0 {
		return wasi.Stat_t{}, errno
	}
	return n.stat(), 0
}

// Lstat implements [sys.FS].
func (f *Folder) Lstat(name string) (wasi.Stat_t, sys.Errno) { return f.Stat(name) }

// stat describes a node.
func (n *node) stat() wasi.Stat_t {
	s := wasi.Stat_t{Dev: 1, Ino: n.inode, Mode: 0o700, Nlink: 1, Size: int64(len(n.data)), Atim: n.time, Mtim: n.time, Ctim: n.time}
	if n.isDir() {
		s.Mode |= fs.ModeDir
	}
	return s
}

// Mkdir implements [sys.FS].
func (f *Folder) Mkdir(name string, _ fs.FileMode) sys.Errno {
	folder, base, n, errno := f.parent(name)
	if errno != 0 {
		return errno
	}
	if n != nil {
		return sys.EEXIST
	}
	f.room()
	f.enter(folder, base, f.make(true))
	return 0
}

// Chmod implements [sys.FS]. Modes are not kept.
func (f *Folder) Chmod(name string, _ fs.FileMode) sys.Errno {
	_, errno := f.find(name)
	return errno
}

// Rename implements [sys.FS].
func (f *Folder) Rename(from, to string) sys.Errno {
	old, oldBase, n, errno := f.parent(from)
	if errno != 0 {
		return errno
	}
	folder, base, there, errno := f.parent(to)
	switch {
	case errno != 0:
		return errno
	case n == nil:
		return sys.ENOENT
	case n == there:
		return 0
	case n.isDir() && within(split(to), split(from)):
		return sys.EINVAL
	case there == nil:
	case there.isDir() && !n.isDir():
		return sys.EISDIR
	case !there.isDir() && n.isDir():
		return sys.ENOTDIR
	case len(there.inner) > 0:
		return sys.ENOTEMPTY
	}
	if there != nil {
		f.leave(folder, base)
	}
	n.users++ // so that it is not freed between its two names
	f.leave(old, oldBase)
	f.enter(folder, base, n)
	n.users--
	return 0
}

// within reports whether a path lies below another.
func within(names, above []string) bool {
	return len(names) > len(above) && slices.Equal(names[:len(above)], above)
}

// Rmdir implements [sys.FS].
func (f *Folder) Rmdir(name string) sys.Errno {
	folder, base, n, errno := f.parent(name)
	switch {
	case errno != 0:
		return errno
	case n == nil:
		return sys.ENOENT
	case !n.isDir():
		return sys.ENOTDIR
	case len(n.inner) > 0:
		return sys.ENOTEMPTY
	}
	f.leave(folder, base)
	return 0
}

// Unlink implements [sys.FS].
func (f *Folder) Unlink(name string) sys.Errno {
	folder, base, n, errno := f.parent(name)
	switch {
	case errno != 0:
		return errno
	case n == nil:
		return sys.ENOENT
	case n.isDir():
		return sys.EISDIR
	}
	f.leave(folder, base)
	return 0
}

// Utimens implements [sys.FS].
func (f *Folder) Utimens(name string, _, mtim int64) sys.Errno {
	n, errno := f.find(name)
	if errno == 0 {
		n.touch(mtim)
	}
	return errno
}

// touch sets the time of a node.
func (n *node) touch(mtim int64) {
	if mtim != sys.UTIME_OMIT {
		n.time = mtim
	}
}
