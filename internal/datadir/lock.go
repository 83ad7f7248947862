package datadir

import (
	"errors"
	"io"
)

// lockName is the file in a folder that is locked with it.
const lockName = "lock"

// ErrInUse says that another process has locked a folder.
var ErrInUse = errors.New("another process uses it")

// Lock locks a folder, which must exist, until the lock is closed or the process ends,
// however it ends. It locks the folder itself, since nobody can delete that, and a file in
// it, since some network file systems lock only files. The error is [ErrInUse] if another
// process has it. On systems without flock, nothing stops a second process.
func Lock(path string) (io.Closer, error) { return lockFolder(path) }

// LockToRead locks a folder as [Lock] does, but writes nothing: it locks the folder itself
// alone.
func LockToRead(path string) (io.Closer, error) { return lockToRead(path) }
