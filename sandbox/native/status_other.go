//go:build !unix

package native

import "os"

// exitStatus tells how a process ended that was waited for: its exit status.
func exitStatus(s *os.ProcessState) (signal, code int) { return 0, s.ExitCode() }
