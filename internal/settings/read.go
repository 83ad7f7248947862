package settings

import (
	"errors"
	"io/fs"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

// maxFile limits the bytes of a file.
const maxFile = 16 << 20

// A MissingError names a file that a setting names, and that is not there.
type MissingError struct{ Path string }

// Error implements error.
func (e *MissingError) Error() string { return "there is no file " + e.Path }

// ReadFile adds the YAML file at path to the sources; an empty path adds none. The
// error is a [*MissingError] if there is no such file.
func (s *Sources) ReadFile(path string) error {
	if s.File = path; path == "" {
		return nil
	}
	var err error
	s.Data, err = jsonl.ReadText(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &MissingError{path}
	}
	return err
}
