//go:build !unix

package datadir

import "os"

// lockFile opens a file. Without flock, nothing stops a second process from using the
// folder.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
}
