package native

import (
	"os"

	"golang.org/x/sys/unix"
)

// hold locks a file that nobody holds.
func hold(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
