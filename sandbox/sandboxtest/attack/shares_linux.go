package main

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// shares are the attacks on what other processes get of the processors.
func shares() map[string]func(string) error {
	return map[string]func(string) error{
		"affinity":  func(pid string) error { return unix.SchedSetaffinity(number(pid), &unix.CPUSet{1}) },
		"scheduler": func(pid string) error { return withPolicy(unix.SYS_SCHED_SETSCHEDULER, number(pid), schedBatch) },
		"parameter": func(pid string) error { return withPolicy(unix.SYS_SCHED_SETPARAM, number(pid), 0) },
		"attribute": func(pid string) error {
			return unix.SchedSetAttr(number(pid), &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: schedBatch}, 0)
		},
		"nice":      func(pid string) error { return unix.Setpriority(unix.PRIO_PROCESS, number(pid), 19) },
		"nicegroup": func(string) error { return unix.Setpriority(unix.PRIO_PGRP, 0, 19) },
		"niceuser":  func(string) error { return unix.Setpriority(unix.PRIO_USER, os.Getuid(), 19) },
		"ioprio":    func(pid string) error { return call(unix.SYS_IOPRIO_SET, 1, uintptr(number(pid)), 3<<13) },
		"iouser":    func(string) error { return call(unix.SYS_IOPRIO_SET, 3, uintptr(os.Getuid()), 3<<13) },
		"core":      func(string) error { return unix.Prctl(unix.PR_SCHED_CORE, 1, 0, 0, 0) },
		"humble":    humble,
		"sigio":     sigio,
	}
}

// schedBatch is the policy of programs that can wait, which every user may set.
const schedBatch = 3

// withPolicy sets the policy of a process, or its parameters.
func withPolicy(nr uintptr, pid int, policy uintptr) error {
	var parameter uint32
	if nr == unix.SYS_SCHED_SETPARAM {
		return call(nr, uintptr(pid), uintptr(unsafe.Pointer(&parameter)), 0)
	}
	return call(nr, uintptr(pid), policy, uintptr(unsafe.Pointer(&parameter)))
}

// humble sets what decides how much of the processors it gets itself, which is its own affair.
func humble(string) error {
	var own unix.CPUSet
	return errors.Join(unix.SchedGetaffinity(0, &own), unix.SchedSetaffinity(0, &own), unix.SchedSetaffinity(os.Getpid(), &own),
		unix.Setpriority(unix.PRIO_PROCESS, 0, 19), unix.Setpriority(unix.PRIO_PROCESS, os.Getpid(), 19),
		call(unix.SYS_IOPRIO_SET, 1, 0, 3<<13), withPolicy(unix.SYS_SCHED_SETSCHEDULER, os.Getpid(), schedBatch))
}

// sigio has the kernel kill the parent when a pipe has something to read.
func sigio(string) error {
	var fds [2]int
	if err := unix.Pipe(fds[:]); err != nil {
		return err
	}
	for _, one := range []struct{ command, value int }{{unix.F_SETSIG, int(unix.SIGKILL)}, {unix.F_SETOWN, os.Getppid()}, {unix.F_SETFL, unix.O_ASYNC}} {
		if _, err := unix.FcntlInt(uintptr(fds[0]), one.command, one.value); err != nil {
			return err
		}
	}
	_, err := unix.Write(fds[1], []byte("x"))
	return err
}
