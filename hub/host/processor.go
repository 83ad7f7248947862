package host

import (
	"os"
	"runtime"
)

// SpareProcessor gives this process one processor more than there are cores, unless the
// environment sets GOMAXPROCS. The goroutine that waits for the disk keeps its processor
// until the scheduler takes it away, on busy cores long after the disk is done. The hub
// inflates, reads and writes JSON on all processors but one.
func SpareProcessor() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.SetDefaultGOMAXPROCS()
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + 1)
	}
}
