package datadir

import (
	"errors"
	"io"
)

// lockName is the lock file in a folder.
const lockName = "lock"

// ErrInUse says that another process has locked a folder.
var ErrInUse = errors.New("another process uses it")

// Lock locks an existing folder until the caller closes the lock or the process ends,
// however it ends. It locks the folder itself, since nobody can delete that, and a file in
// it, since some network file systems lock only files. The error is [ErrInUse] if another
// process has it. On systems without flock, nothing stops a second process.
func Lock(path string) (io.Closer, error) { return lockFolder(path) }

// LockToRead locks a folder like [Lock], but writes nothing: it locks only the folder
// itself.
func LockToRead(path string) (io.Closer, error) { return lockToRead(path) }

// InUse reports whether a process has locked the folder, which it locks itself for a moment.
// Known is false on systems that do not tell.
func InUse(path string) (used, known bool) { return inUse(path) }
