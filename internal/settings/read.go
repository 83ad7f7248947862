package settings

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

// maxFile limits the bytes of a file.
const maxFile = 16 << 20

// ReadFile adds the YAML file at path to the sources; an empty path adds none.
func (s *Sources) ReadFile(path string) error {
	if s.File = path; path == "" {
		return nil
	}
	var err error
	s.Data, err = jsonl.ReadText(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no file %s", path)
	}
	return err
}
