//go:build !unix

package datadir

import (
	"io"
	"os"
	"path/filepath"
)

// lockFolder opens a file in the folder. Where there is no flock, nothing keeps a second
// process from the folder.
func lockFolder(path string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o644)
}
