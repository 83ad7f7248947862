//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// apart gives a command a process group of its own, so that the Ctrl-C of a terminal does not
// reach it, and has the whole group killed in place of the command alone.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// terminate tells the group of a command to end.
func terminate(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM) } // an error: it has ended
