package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// A Folder is a folder of files. [NewFolder] is one on disk.
type Folder interface {
	// Open opens or makes a file for reading and writing.
	Open(name string) (File, error)
	// Names are the names of all files.
	Names() ([]string, error)
	Rename(from, to string) error
	Remove(name string) error
	// Sync makes new, renamed and removed names durable.
	Sync() error
	// Tend calls work while few other folders of the pool do, then closes the files that were
	// unused for a while; they reopen on use.
	Tend(work func())
	// Space is the free and the total space of the disk in bytes; ok is false if unknown.
	Space() (free, total int64, ok bool)
}

// A File is one of the folder's files. Reads and writes may be concurrent.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Size() (int64, error)
	Truncate(size int64) error
	// Sync makes all writes durable.
	Sync() error
	// Hold keeps the file open until Close, because another is about to take its name.
	Hold() error
	// Spare lets the file be closed before its writes are durable: nobody needs to know if
	// they fail.
	Spare()
	// Renamed sets the file's new name.
	Renamed(name string)
	// Reserve reserves disk space for the file to grow to size, without changing its size. Not
	// every system can.
	Reserve(size int64) error
}

// A diskFolder is a folder of the operating system.
type diskFolder struct {
	dir  string
	pool *Pool // of its open files
}

// NewFolder returns the folder at a path, with its open files in a pool.
func NewFolder(dir string, pool *Pool) Folder { return diskFolder{dir, pool} }

func (d diskFolder) path(name string) string { return filepath.Join(d.dir, name) }

func (d diskFolder) Open(name string) (File, error) {
	o, err := d.pool.add(d.path(name))
	if err != nil {
		return nil, err
	}
	return namedFile{o, d}, nil
}

// A namedFile is a pooledFile that knows its folder.
type namedFile struct {
	*pooledFile
	in diskFolder
}

// Renamed sets the file's new name.
func (f namedFile) Renamed(name string) { f.move(f.in.path(name)) }

func (d diskFolder) Names() ([]string, error) {
	list, err := os.ReadDir(d.dir)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

func (d diskFolder) Rename(from, to string) error { return os.Rename(d.path(from), d.path(to)) }
func (d diskFolder) Remove(name string) error     { return os.Remove(d.path(name)) }

func (d diskFolder) Sync() error { return datadir.SyncFolder(d.dir) }

func (d diskFolder) Space() (free, total int64, ok bool) { return datadir.Space(d.dir) }

// unusedFor is how long a file is unused before it is closed.
const unusedFor = 50 * time.Millisecond

func (d diskFolder) Tend(work func()) {
	d.pool.tended <- struct{}{}
	work()
	<-d.pool.tended
	d.pool.sweep(unusedFor)
}

// FreshEnd ends the name of a file that is about to replace another.
const FreshEnd = ".new"

// Replace makes data the durable content of a file, whole or not at all. After an error it may be
// either.
func Replace(in Folder, name string, data []byte) error {
	f, err := in.Open(name + FreshEnd)
	if err != nil {
		return err
	}
	if err := errors.Join(overwrite(f, data), f.Close()); err != nil {
		return errors.Join(err, in.Remove(name+FreshEnd))
	}
	if err := in.Rename(name+FreshEnd, name); err != nil {
		return errors.Join(err, in.Remove(name+FreshEnd))
	}
	return in.Sync()
}

// overwrite makes b the durable content of a file.
func overwrite(f File, b []byte) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	if _, err := f.WriteAt(b, 0); err != nil {
		return err
	}
	return f.Sync()
}

// ReadFile reads a whole file, which must be there.
func ReadFile(in Folder, name string) ([]byte, error) {
	f, err := in.Open(name)
	if err != nil {
		return nil, err
	}
	b, err := readAll(f)
	return b, errors.Join(err, f.Close())
}

func readAll(f File) ([]byte, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, size)
	_, err = f.ReadAt(b, 0)
	return b, err
}

// NoRoom reports whether a disk is full, or a quota or a limit on file sizes is reached.
func NoRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EFBIG) || errors.Is(err, errQuota)
}

// WithSum appends to lines of text a line with their checksum.
func WithSum(text []byte) []byte { return fmt.Appendf(text, "sum %08x\n", Sum(0, text)) }

// CutSum undoes [WithSum], and cuts the text into lines; ok is false if it is not as written.
func CutSum(text []byte) (lines []string, ok bool) {
	body, _, _ := bytes.Cut(text, []byte("\nsum "))
	body = append(body[:len(body):len(body)], '\n')
	if !bytes.Equal(text, WithSum(body[:len(body):len(body)])) {
		return nil, false
	}
	return strings.Split(string(body[:len(body)-1]), "\n"), true
}
