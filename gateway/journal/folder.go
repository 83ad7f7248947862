package journal

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// A folder is where a journal lives.
type folder interface {
	open(name string) (f file, size int64, err error)
	create(name string) (file, error) // an empty file
	load(name string) ([]byte, error)
	replace(name string, data []byte) error // durably, completely or not at all
	names() ([]string, error)
	remove(name string) error
	sync() error             // makes names durable
	path(name string) string // for messages
}

// A file has the methods of *os.File that a journal needs.
type file interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	SyncData() error // like Sync, but perhaps without what is not needed to read the data
	Close() error
}

type osFile struct{ *os.File }

func (f osFile) SyncData() error { return datadir.SyncData(f.File) }

// An osFolder is the path of a folder.
type osFolder string

func (d osFolder) path(name string) string { return filepath.Join(string(d), name) }

func (d osFolder) open(name string) (file, int64, error) {
	f, err := os.OpenFile(d.path(name), os.O_RDWR, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return osFile{f}, info.Size(), nil
}

func (d osFolder) create(name string) (file, error) {
	f, err := os.OpenFile(d.path(name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err // not f: a nil *os.File is no nil file
	}
	return osFile{f}, nil
}

func (d osFolder) load(name string) ([]byte, error) { return os.ReadFile(d.path(name)) }

func (d osFolder) replace(name string, data []byte) error {
	return datadir.WriteFile(d.path(name), data)
}

func (d osFolder) names() (names []string, err error) {
	list, err := os.ReadDir(string(d))
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names, err
}

func (d osFolder) remove(name string) error { return os.Remove(d.path(name)) }

func (d osFolder) sync() error { return datadir.SyncFolder(string(d)) }
