//go:build unix && !nowasm

package wasm

import (
	"time"

	"golang.org/x/sys/unix"
)

// spentHere is the time of this process on the processor.
func spentHere() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// limitCPU has the kernel end this process.
func limitCPU(at time.Duration) {
	_ = limit(unix.RLIMIT_CPU, uint64((at+time.Second-1)/time.Second)) // the watchers see it first
}

// limit lowers or raises a limit of this process.
func limit(what int, to uint64) error {
	var had unix.Rlimit
	if err := unix.Getrlimit(what, &had); err != nil {
		return err
	}
	return unix.Setrlimit(what, &unix.Rlimit{Cur: min(had.Max, to), Max: had.Max})
}
