//go:build unix

package none

import (
	"os"
	"syscall"

	"github.com/quintain-rl/quintain/sandbox"
)

// ended tells the end of a process.
func ended(s *os.ProcessState) (sandbox.End, int) {
	status, is := s.Sys().(syscall.WaitStatus)
	switch {
	case !is || !status.Signaled():
		return sandbox.Exited, s.ExitCode()
	case status.Signal() == syscall.SIGXCPU:
		return sandbox.CPULimit, 0
	case status.Signal() == syscall.SIGXFSZ:
		return sandbox.DiskLimit, 0
	}
	return sandbox.Signalled, int(status.Signal())
}
