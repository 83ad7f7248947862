package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// Check reads the journal in dir as [Open] does, calls replay with each record, and changes
// nothing on disk. A process that uses the journal is an error: [datadir.ErrInUse].
func Check(dir string, replay func(Record) error) (err error) {
	lock, err := datadir.LockToRead(dir)
	if err != nil {
		return fmt.Errorf("session journal %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if _, err := os.Stat(osFolder(dir).path(manifestName)); errors.Is(err, fs.ErrNotExist) {
		names, err := osFolder(dir).names()
		return errors.Join(err, (&Journal{folder: osFolder(dir)}).isNew(names))
	}
	o := Options{}
	if f, err := os.Open(datadir.MarkBeside(dir)); err == nil {
		o.mark = mark{f: viewedFile{f}, path: f.Name(), born: datadir.Born(f.Name())}
	}
	j, err := open(viewed{osFolder(dir)}, o, replay)
	if err != nil {
		return fmt.Errorf("session journal: %w", err)
	}
	for _, s := range j.segments {
		err = errors.Join(err, s.f.Close())
	}
	return errors.Join(err, j.mark.close())
}

// A viewed folder is read, and writes to it are forgotten.
type viewed struct{ osFolder }

func (v viewed) open(name string) (file, int64, error) {
	f, err := os.Open(v.path(name))
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, f.Close())
	}
	return viewedFile{f}, info.Size(), nil
}

func (v viewed) create(name string) (file, error) {
	return nil, &fs.PathError{Op: "create", Path: v.path(name), Err: errors.ErrUnsupported}
}

func (viewed) replace(string, []byte) error { return nil }
func (viewed) remove(string) error          { return nil }
func (viewed) sync() error                  { return nil }

type viewedFile struct{ *os.File }

func (viewedFile) WriteAt(p []byte, _ int64) (int, error) { return len(p), nil }
func (viewedFile) Truncate(int64) error                   { return nil }
func (viewedFile) Sync() error                            { return nil }
func (viewedFile) SyncData() error                        { return nil }
