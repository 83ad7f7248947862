package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/quintain-rl/quintain/run/exam"
)

// Sources are what people name: paths, the first a data folder; or else the data folders of a run.
type Sources struct {
	Paths   []string
	Folders []string // at least one

	Program string // with its version; it writes what is converted
}

// All are the names that count.
func (n *Sources) All() []string {
	if len(n.Paths) > 0 {
		return n.Paths
	}
	return n.Folders
}

// A MissingError names a path with nothing to show. It is an [fs.ErrNotExist].
type MissingError struct{ Name string }

// Error implements error.
func (e *MissingError) Error() string {
	return e.Name + " is neither a folder nor a file: name the data folder of a run"
}

// Unwrap returns [fs.ErrNotExist].
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// Use calls use with what to show, in which files of other programs are traces. Those are removed
// afterwards.
func (n *Sources) Use(use func(Config) error) (err error) {
	c := Config{Data: n.All()[0]}
	if len(n.Paths) == 0 {
		c.Others = slices.Clone(n.Folders[1:])
	}
	var files []string
	if c.Evaluations, files, err = sort(n.All()); err != nil {
		return err
	}
	if len(files) == 0 {
		return use(c)
	}
	c.Files = files
	if c.Data, err = os.MkdirTemp("", "quintain-view-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(c.Data)) }()
	if err := convertLines(files, c.Data, n.Program); err != nil {
		return err
	}
	return use(c)
}

// sort finds the evaluations and the files among paths. Each path must exist.
func sort(paths []string) (evaluations, files []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, &MissingError{path}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		if !info.IsDir() {
			files = append(files, path)
		} else if _, err := os.Stat(filepath.Join(path, exam.ReportName)); err == nil {
			evaluations = append(evaluations, path)
		}
	}
	return evaluations, files, nil
}
