//go:build unix

package web

import (
	"math"
	"syscall"
)

// openFiles is the process's limit of open files; 0: unknown.
func openFiles() int {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || uint64(limit.Cur) > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
