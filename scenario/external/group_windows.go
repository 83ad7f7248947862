package external

import (
	"os/exec"
	"syscall"
)

// apart gives a command a process group of its own, so that the Ctrl-C of a terminal does not
// reach it.
func apart(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate does nothing: there is no signal for it.
func terminate(*exec.Cmd) {}
