//go:build !unix

package datadir

import (
	"os"
	"path/filepath"
)

// lockFolder opens a file in the folder. Where there is no flock, nothing keeps a second process
// from the folder.
func lockFolder(path string) (*os.File, error) {
	return os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
}
