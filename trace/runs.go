package trace

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// A MissingError names folders without a trace. It is an [fs.ErrNotExist].
type MissingError struct{ Names []string }

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("there is no trace in %s: is it the data folder of a run with a trace?", strings.Join(e.Names, ", "))
}

// Unwrap returns [fs.ErrNotExist].
func (e *MissingError) Unwrap() error { return fs.ErrNotExist }

// OfRun returns the trace of a folder, which may come later: that of a data folder, or the folder
// itself, if it has files of a trace.
func OfRun(folder string) Folder {
	if files, _ := filepath.Glob(filepath.Join(folder, "*.trace")); len(files) > 0 {
		return Folder(folder)
	}
	return Folder(filepath.Join(folder, datadir.Trace))
}

// OpenRuns returns a reader of the traces of folders as one; see [OfRun]. Each must have a trace; otherwise the
// error is a [*MissingError].
func OpenRuns(folders ...string) (*Reader, error) {
	var all []Folder
	for _, folder := range folders {
		found := OfRun(folder)
		if _, err := found.Segments(); errors.Is(err, fs.ErrNotExist) {
			return nil, &MissingError{[]string{folder}}
		} else if err != nil {
			return nil, fmt.Errorf("%s: %w", folder, err)
		}
		all = append(all, found)
	}
	r, err := Join(all...)
	if err == nil && r.Len() == 0 {
		if err = (&MissingError{folders}); len(r.Damage()) > 0 {
			err = fmt.Errorf("no group can be read: %s", strings.Join(r.Damage(), "; "))
		}
	}
	return r, err
}
