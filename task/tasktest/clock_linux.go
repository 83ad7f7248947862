package tasktest

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// spend returns the processor time of work on its own thread. Other load on the machine
// does not count.
func spend(work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	begin := clock(unix.CLOCK_THREAD_CPUTIME_ID)
	work()
	return clock(unix.CLOCK_THREAD_CPUTIME_ID) - begin
}

// processTime returns the processor time that this program has used.
func processTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(id, &now); err != nil {
		panic("tasktest: " + err.Error()) // every Linux has these clocks
	}
	return time.Duration(now.Nano())
}
