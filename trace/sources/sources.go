// Package sources finds the traces that people name: data folders of runs, folders of traces.
package sources

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/trace"
)

// A MissingError names places without a trace. It is an [fs.ErrNotExist].
type MissingError struct{ Names []string }

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("there is no trace in %s: is it the data folder of a run with a trace?", strings.Join(e.Names, ", "))
}

// Unwrap returns [fs.ErrNotExist].
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// Of returns the trace of a place, which may come later: that of a data folder, or the folder
// itself, if it has files of a trace.
func Of(name string) trace.Source {
	if files, _ := filepath.Glob(filepath.Join(name, "*.trace")); len(files) > 0 {
		return trace.Folder(name)
	}
	return trace.Folder(filepath.Join(name, datadir.Trace))
}

// Open returns a reader of the traces of places as one. Each must have a trace; otherwise the
// error is a [*MissingError].
func Open(names ...string) (*trace.Reader, error) {
	var all []trace.Source
	for _, name := range names {
		source := Of(name)
		if _, err := source.Segments(); errors.Is(err, fs.ErrNotExist) {
			return nil, &MissingError{[]string{name}}
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, source)
	}
	r, err := trace.Join(all...)
	if err == nil && r.Len() == 0 {
		err = &MissingError{names}
	}
	return r, err
}
