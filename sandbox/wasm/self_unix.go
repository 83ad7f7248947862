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
	had.Cur = atMost(had.Max, to)
	return unix.Setrlimit(what, &had)
}

// atMost returns to, but no more than the hard limit, in the type that the system has for limits.
func atMost[N int64 | uint64](hard N, to uint64) N { return N(min(uint64(hard), to)) }
