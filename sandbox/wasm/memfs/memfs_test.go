//go:build !nowasm

package memfs

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// small are limits that tests reach.
var small = Limits{FileSize: 10, Disk: 20, Files: 4, Open: 3}

const create = sys.O_RDWR | sys.O_CREAT

func TestFilesKeepWhatIsWritten(t *testing.T) {
	t.Parallel()
	f := New(small)
	f.Put("a/b", []byte("abc"))
	file := open(t, f, "a/b", sys.O_RDWR|sys.O_APPEND)
	for _, step := range []struct {
		do   func() (int, sys.Errno)
		n    int
		want sys.Errno
	}{
		{func() (int, sys.Errno) { return file.Write([]byte("de")) }, 2, 0},
		{func() (int, sys.Errno) { return file.Pwrite([]byte("x"), 8) }, 1, 0}, // zeros between
		{func() (int, sys.Errno) { return file.Pwrite([]byte("xyz"), 8) }, 0, sys.ERANGE},
		{func() (int, sys.Errno) { return file.Pwrite([]byte("x"), 1<<62) }, 0, sys.ERANGE},
		{func() (int, sys.Errno) { return file.Pwrite([]byte("x"), -1) }, 0, sys.EINVAL},
		{func() (int, sys.Errno) { return file.Pread(make([]byte, 4), -1) }, 0, sys.EINVAL},
		{func() (int, sys.Errno) { return file.Pread(make([]byte, 4), 1<<62) }, 0, 0},
		{func() (int, sys.Errno) { return 0, file.Truncate(1 << 40) }, 0, sys.ERANGE},
		{func() (int, sys.Errno) { return 0, file.Truncate(-1) }, 0, sys.EINVAL},
	} {
		if n, errno := step.do(); n != step.n || errno != step.want {
			t.Errorf("%d, error %v; want %d, %v", n, errno, step.n, step.want)
		}
	}
	if got, _ := f.Get("a/b", 10); string(got) != "abcde\x00\x00\x00x" {
		t.Errorf("%q", got)
	}
	file.Truncate(1)
	file.Truncate(3)
	if got, _ := f.Get("a/b", 10); string(got) != "a\x00\x00" {
		t.Errorf("what was cut off shows again: %q", got)
	}
	if _, found := f.Get("a/b", 2); found {
		t.Error("a file beyond the limit is returned")
	}
}

func TestSizesAreCountedUntilNobodyHoldsAFile(t *testing.T) {
	t.Parallel()
	f := New(small)
	full := 0
	f.Full = func() { full++; panic("full") }
	fills := func(do func()) (is bool) {
		defer func() { is = recover() != nil }()
		do()
		return false
	}
	a, b := open(t, f, "a", create), open(t, f, "b", create)
	a.Write(make([]byte, 10))
	b.Write(make([]byte, 8))
	f.Unlink("a")
	c := open(t, f, "c", create)
	if !fills(func() { c.Write(make([]byte, 5)) }) {
		t.Error("a removed file that is open takes no room")
	}
	if _, errno := f.OpenFile("d", create, 0); errno != sys.EAGAIN {
		t.Errorf("a fourth open file: error %v", errno)
	}
	a.Close()
	a.Close()
	if fills(func() { c.Write(make([]byte, 5)) }) {
		t.Error("a file that nobody holds takes room")
	}
	f.Mkdir("e", 0)
	f.Mkdir("f", 0)
	if !fills(func() { f.Mkdir("g", 0) }) || full != 2 {
		t.Error("five files, where four are allowed")
	}
}

func TestNoPathLeadsOut(t *testing.T) {
	t.Parallel()
	f := New(Limits{FileSize: 10, Disk: 99, Files: 99, Open: 9})
	f.Put("a/b", nil)
	for name, want := range map[string]sys.Errno{
		"..": 0, "../../a/b": 0, "/a/./b": 0, "a/../../a/b": 0, "": 0, "../etc/passwd": sys.ENOENT, "a/b/..": 0, "a/b/": sys.ENOTDIR, "a/b/c": sys.ENOTDIR, "a\x00": sys.ENOENT,
	} {
		if _, errno := f.Stat(name); errno != want {
			t.Errorf("%q: error %v, want %v", name, errno, want)
		}
	}
	for what, errno := range map[string]sys.Errno{
		"a link":               f.Link("a/b", "c") - sys.ENOSYS,
		"a symbolic link":      f.Symlink("/etc/passwd", "c") - sys.ENOSYS,
		"a folder into itself": f.Rename("a", "a/c") - sys.EINVAL,
		"the root":             f.Rename("/", "a/c") - sys.EPERM,
		"removing the root":    f.Rmdir("..") - sys.EPERM,
		"a folder as a file":   f.Unlink("a") - sys.EISDIR,
		"a full folder":        f.Rmdir("a") - sys.ENOTEMPTY,
		"a file over a folder": f.Rename("a/b", "a") - sys.EISDIR,
		"a long name":          f.Mkdir(strings.Repeat("x", 256), 0) - sys.ENAMETOOLONG,
	} {
		if errno != 0 {
			t.Errorf("%s: %d away from its error", what, errno)
		}
	}
}

func TestFoldersAreListed(t *testing.T) {
	t.Parallel()
	f := New(Limits{FileSize: 10, Disk: 99, Files: 99, Open: 9})
	f.Put("b", nil)
	f.Put("a/x", nil)
	f.Put("c", nil)
	dir := open(t, f, "/", sys.O_DIRECTORY)
	one, _ := dir.Readdir(1)
	f.Unlink("b")
	rest, _ := dir.Readdir(-1)
	dir.Seek(0, io.SeekStart)
	again, _ := dir.Readdir(0)
	if got := fmt.Sprintf("%d %s %v %d %s %d", len(one), one[0].Name, one[0].IsDir(), len(rest), rest[0].Name, len(again)); got != "1 a true 1 c 2" {
		t.Error(got)
	}
}

// open opens a file.
func open(t *testing.T, f *Folder, name string, flag sys.Oflag) sys.File {
	t.Helper()
	file, errno := f.OpenFile(name, flag, 0)
	if errno != 0 {
		t.Fatalf("%s: %v", name, errno)
	}
	return file
}

// Whatever a program does, what is counted is what is there.
func FuzzFolder(f *testing.F) {
	f.Add([]byte("\x00\x00\x01\x05\x02\x06\x03\x07\x04\x08\x05\x00\x06\x01\x07\x02"))
	names := []string{"a", "b", "a/c", "a/c/d", "..", "/", "b/", ""}
	f.Fuzz(func(t *testing.T, ops []byte) {
		folder := New(small)
		folder.Full = func() { panic(folder) }
		var held []sys.File
		for i := 0; i+1 < len(ops); i += 2 {
			name, other := names[ops[i+1]%8], names[ops[i+1]/8%8]
			func() {
				defer func() {
					if r := recover(); r != nil && r != any(folder) {
						panic(r)
					}
				}()
				switch ops[i] % 8 {
				case 0, 1:
					if file, errno := folder.OpenFile(name, sys.Oflag(ops[i+1])<<2|sys.Oflag(ops[i]/8%3), 0); errno == 0 {
						held = append(held, file)
					}
				case 2:
					folder.Mkdir(name, 0)
				case 3:
					folder.Rename(name, other)
				case 4:
					folder.Rmdir(name)
				case 5:
					folder.Unlink(name)
				case 6:
					for _, file := range held {
						file.Pwrite(make([]byte, ops[i+1]%8), int64(ops[i+1]/16))
						file.Readdir(1)
					}
				case 7:
					if len(held) > 0 {
						held[0].Close()
						held = held[1:]
					}
				}
			}()
		}
		for _, file := range held {
			file.Close()
		}
		bytes, files := count(folder.root)
		if folder.bytes != bytes || folder.files != files || folder.open != 0 || bytes > small.Disk || files > small.Files {
			t.Errorf("counted %d bytes, %d files, %d open; there are %d, %d", folder.bytes, folder.files, folder.open, bytes, files)
		}
	})
}

// count counts what is in a folder.
func count(n *node) (bytes int64, files int) {
	for _, one := range n.inner {
		b, f := count(one)
		bytes, files = bytes+b+int64(len(one.data)), files+f+1
	}
	return bytes, files
}
