//go:build unix

package native

import (
	"os"
	"syscall"
)

// exitStatus tells how a process ended that was waited for: the number of the signal, or its exit status.
func exitStatus(s *os.ProcessState) (signal, code int) {
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return int(status.Signal()), 0
	}
	return 0, s.ExitCode()
}
