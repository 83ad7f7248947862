//go:build !linux

package tasktest

import "time"

// spend returns the elapsed time of work.
func spend(work func()) time.Duration {
	begin := time.Now()
	work()
	return time.Since(begin)
}

// processTime returns the time of the day.
func processTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
