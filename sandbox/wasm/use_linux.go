package wasm

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// use looks at what a child uses.
func use(pid int) (now usage, seen bool) {
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|2), &t); err != nil { // CPUCLOCK_SCHED of the process
		return now, false
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return now, false
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return now, false
	}
	bytesOf := func(field []byte) int64 {
		pages, _ := strconv.ParseInt(string(field), 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return usage{cpu: time.Duration(t.Nano()), space: bytesOf(fields[0]), memory: bytesOf(fields[1])}, true
}
