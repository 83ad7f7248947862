//go:build !unix

package command

import (
	"os"
	"os/exec"
)

// become does nothing: there is no such user.
func become(*exec.Cmd, int) {}

// ended tells how a process ended: the exit status.
func ended(s *os.ProcessState) (signal, code int) { return 0, s.ExitCode() }

// closeInherited does nothing.
func closeInherited() {}

// killOne does nothing: no process is listed.
func killOne(int) {}
