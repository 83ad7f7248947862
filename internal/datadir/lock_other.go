//go:build !unix

package datadir

import (
	"io"
	"os"
	"path/filepath"
)

func lockFolder(path string) (io.Closer, error) {
	return os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR, 0o644)
}

func lockToRead(path string) (io.Closer, error) { return os.Open(path) }

func inUse(string) (used, known bool) { return false, false }
