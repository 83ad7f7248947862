//go:build unix

package wasm

import (
	"os"
	"syscall"
)

// signalOf is the signal that ended a child.
func signalOf(state *os.ProcessState) int {
	if status, is := state.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return int(status.Signal())
	}
	return abort
}
