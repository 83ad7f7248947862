//go:build !nowasm

package wasm

import (
	"time"

	"golang.org/x/sys/windows"
)

// spentHere is the time of this process on the processor.
func spentHere() time.Duration {
	var made, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &made, &ended, &kernel, &user); err != nil {
		return 0
	}
	ticks := func(t windows.Filetime) int64 { return int64(t.HighDateTime)<<32 | int64(t.LowDateTime) }
	return time.Duration(100 * (ticks(kernel) + ticks(user)))
}

// limitCPU does nothing: the watchers are all there is.
func limitCPU(time.Duration) {}
