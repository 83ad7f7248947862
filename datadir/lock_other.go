//go:build !unix

package datadir

import "os"

// lockFile opens a file. Where there is no flock, nothing keeps a second process
// from the folder.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
}
