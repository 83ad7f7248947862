package fake

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// makeRoom makes room for thousands of connections, or as many as the process may have.
// Linux doubles a process's table of open files whenever it is full, and meanwhile nothing
// can be opened: on the way to 10,000 connections, seven pauses of some 15 ms in which no
// request begins.
func makeRoom() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return
	}
	last := min(limit.Cur, 1<<15) - 1
	fd, err := unix.FcntlInt(uintptr(syscall.Stderr), unix.F_DUPFD_CLOEXEC, int(last))
	if err != nil {
		return
	}
	_ = unix.Close(fd) // it holds no written data
}
