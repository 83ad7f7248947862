package kept

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
)

// Versions are the weights of single versions of the tiny policy, a file each in a folder. They are
// files of package tiny (ReadVersion).
type Versions struct {
	Folder string
	Every  int   // versions from one that is kept to the next; 0: none is kept for its number
	Named  []int // kept besides
}

// suffix ends the name of a file.
const suffix = ".weights"

// Wants reports whether a version is to be kept.
func (v *Versions) Wants(version int) bool {
	return v.Every > 0 && version%v.Every == 0 || slices.Contains(v.Named, version)
}

// path is that of the file of a version.
func (v *Versions) path(version int) string {
	return filepath.Join(v.Folder, strconv.Itoa(version)+suffix)
}

// Write keeps the weights of a version.
func (v *Versions) Write(version int, data []byte) error {
	if err := datadir.MakeFolder(v.Folder); err != nil {
		return err
	}
	return datadir.WriteFile(v.path(version), data)
}

// Read returns the weights of a version. Without them, the error is a [*LacksError].
func (v *Versions) Read(version int) ([]byte, error) {
	data, err := os.ReadFile(v.path(version))
	if !errors.Is(err, fs.ErrNotExist) {
		return data, err
	}
	have, err := v.list()
	if err != nil {
		return nil, err
	}
	return nil, &LacksError{v.Folder, version, have}
}

// A LacksError says that the weights of a version are not kept.
type LacksError struct {
	Folder  string
	Version int
	Have    []int // the versions that are kept
}

// Error names the versions.
func (e *LacksError) Error() string {
	return fmt.Sprintf("%s has no weights of version %d, but of %v", e.Folder, e.Version, e.Have)
}

// list returns the versions that are kept.
func (v *Versions) list() (have []int, err error) {
	files, err := os.ReadDir(v.Folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), suffix)
		if version, err := strconv.Atoi(name); ok && err == nil {
			have = append(have, version)
		}
	}
	slices.Sort(have)
	return have, nil
}
