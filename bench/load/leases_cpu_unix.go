//go:build unix

package main

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of the process; 0: unknown.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
