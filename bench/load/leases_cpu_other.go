//go:build !unix

package main

import "time"

// cpuTime is the processor time of the process; 0: unknown.
func cpuTime() time.Duration { return 0 }
