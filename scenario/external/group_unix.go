//go:build unix

package external

import (
	"os/exec"
	"syscall"
)

// apart puts a command in its own process group, so that a terminal's Ctrl-C does not reach
// it, and a kill reaches the whole group.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// terminate sends the group of a command the signal to end.
func terminate(c *exec.Cmd) { _ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM) } // an error: it has ended
