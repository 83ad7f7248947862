//go:build unix

package web

import (
	"math"
	"syscall"
)

// OpenFileLimit is the process's limit of open files; 0: none is known.
func OpenFileLimit() int {
	var now syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &now) != nil || uint64(now.Cur) > math.MaxInt32 {
		return 0
	}
	return int(now.Cur)
}
