// Package sources finds the traces that people name: data folders of runs, folders of traces,
// and archives.
package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/trace/archive"
)

// A MissingError names places without a trace. It is an [fs.ErrNotExist].
type MissingError struct{ Names []string }

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("there is no trace in %s: is it the data folder of a run with a trace?", strings.Join(e.Names, ", "))
}

// Unwrap returns [fs.ErrNotExist].
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// Of returns the trace of a folder, which may come later: that of a data folder, or the folder
// itself, if it has files of a trace.
func Of(folder string) trace.Source {
	if files, _ := filepath.Glob(filepath.Join(folder, "*.trace")); len(files) > 0 {
		return trace.Folder(folder)
	}
	return trace.Folder(filepath.Join(folder, datadir.Trace))
}

// A Finder finds traces by the variables of the environment, which give the keys of archives.
type Finder struct{ Getenv func(string) string }

// Find returns the traces of a place: of a folder, or of an archive.
func (f Finder) Find(ctx context.Context, name string) ([]trace.Source, error) {
	if !archive.Is(name) {
		return []trace.Source{Of(name)}, nil
	}
	b, err := archive.Open(name, f.Getenv)
	if err != nil {
		return nil, err
	}
	all, err := b.Traces(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{[]string{name}}
	}
	return all, err
}

// FindAll returns the traces of places if one is an archive, and nil otherwise.
func (f Finder) FindAll(ctx context.Context, names ...string) (all []trace.Source, err error) {
	if !slices.ContainsFunc(names, archive.Is) {
		return nil, nil
	}
	for _, name := range names {
		found, err := f.Find(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Open returns a reader of the traces of places as one. Each must have a trace; otherwise the
// error is a [*MissingError].
func (f Finder) Open(ctx context.Context, names ...string) (*trace.Reader, error) {
	var all []trace.Source
	for _, name := range names {
		found, err := f.Find(ctx, name)
		if err != nil {
			return nil, err
		}
		if _, err := found[0].Segments(); errors.Is(err, fs.ErrNotExist) {
			return nil, &MissingError{[]string{name}}
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, found...)
	}
	r, err := trace.Join(all...)
	if err == nil && r.Len() == 0 {
		err = &MissingError{names}
	}
	return r, err
}
