package trace

import (
	"errors"
	"io/fs"
)

// OpenFirst opens the first of folders that has records. The error is [fs.ErrNotExist] if
// none has.
func OpenFirst(folders ...string) (*Reader, error) {
	for _, folder := range folders {
		r, err := Open(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || r.Len() > 0 {
			return r, err
		}
	}
	return nil, fs.ErrNotExist
}
