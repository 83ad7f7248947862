package external

import (
	"os/exec"
	"syscall"
)

// apart puts a command in its own process group, so that a terminal's Ctrl-C does not reach
// it.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate does nothing: there is no such signal.
func terminate(*exec.Cmd) {}
