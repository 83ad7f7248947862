//go:build !unix

package none

import (
	"os"

	"github.com/quintain-rl/quintain/sandbox"
)

// ended tells the end of a process.
func ended(s *os.ProcessState) (sandbox.End, int) { return sandbox.Exited, s.ExitCode() }
