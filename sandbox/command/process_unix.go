//go:build unix

package command

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// become has a command run as a user.
func become(c *exec.Cmd, user int) {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}
}

// closeInherited keeps wrappers, which may pass on their open files, from those that this process has
// from its own parent. Files that Go opens are closed anyway.
func closeInherited() {
	all, _ := os.ReadDir("/dev/fd")
	for _, one := range all {
		if fd, err := strconv.Atoi(one.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// killOne ends a process.
func killOne(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) } // an error: it has ended
