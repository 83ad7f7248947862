package tasktest

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// spend returns the processor time that work takes on its own thread. What else the machine
// does is not in it.
func spend(work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := clock(unix.CLOCK_THREAD_CPUTIME_ID)
	work()
	return clock(unix.CLOCK_THREAD_CPUTIME_ID) - begin
}

// processTime returns the processor time of the program so far.
func processTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		panic("tasktest: " + err.Error()) // every Linux has these clocks
	}
	return time.Duration(now.Nano())
}
