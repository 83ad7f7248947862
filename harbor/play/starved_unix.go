//go:build unix

package play

import (
	"time"

	"golang.org/x/sys/unix"
)

// starved reports whether a busy loop gets less than half of a processor.
func starved() bool {
	const span = 100 * time.Millisecond
	var before, after unix.Rusage
	began := time.Now()
	if unix.Getrusage(unix.RUSAGE_SELF, &before) != nil {
		return false
	}
	for n := 0; time.Since(began) < span; n++ {
	}
	if unix.Getrusage(unix.RUSAGE_SELF, &after) != nil {
		return false
	}
	used := time.Duration(unix.TimevalToNsec(after.Utime) + unix.TimevalToNsec(after.Stime) - unix.TimevalToNsec(before.Utime) - unix.TimevalToNsec(before.Stime))
	return used < time.Since(began)/2
}
