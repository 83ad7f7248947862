//go:build amd64 || arm64

package native

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A call is a system call that a child makes between fork and exec. If it fails, the child
// reports what, and exits.
type call struct {
	what string
	nr   uintptr
	args [6]uintptr

	opens  bool // its result is a descriptor for the calls after it
	opened bool // its first argument is this descriptor
}

// A plan is what a child does between fork and exec, worked out before the fork: there, no Go
// code can run that needs the runtime. Memory that the calls point to must be on the heap, and
// in keep.
type plan struct {
	flags uintptr // CLONE_NEW… of the child

	first []call // of the child
	init  []call // of the child, if it stays as the init of its process namespace; nil: it does not
	last  []call // of the program's process, up to execve

	pids   []*uint32  // where last needs the number of the program's process
	report uintptr    // descriptor to which the child writes records
	record *[3]uint32 // of the child
	status *uint32    // of a process that init waits for

	descriptor uintptr // that a call opened
	keep       []any   // what the calls point to
}

// The kinds of records.
const (
	recordAlive  = 0
	recordFailed = 1 // index of the call (those of last after those of first), error number
	recordEnded  = 2 // wait status of the program
)

// The runtime keeps three functions for programs that fork by themselves (go.dev/issue/67401).

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// start forks a child that follows the plan, and returns its number. The thread must stay
// locked until the child was waited for: the kernel ends the child with it.
func (p *plan) start() (pid int, err error) {
	syscall.ForkLock.Lock()
	n, errno := p.fork()
	syscall.ForkLock.Unlock()
	runtime.KeepAlive(p)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// fork is start without the lock. In the child it does not return, and it and all that it
// calls must not split the stack, allocate, or wait for another thread.
//
//go:noinline
//go:norace
func (p *plan) fork() (pid uintptr, errno syscall.Errno) {
	beforeFork()
	pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, p.flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 || pid != 0 {
		afterFork()
		return pid, errno
	}
	afterForkInChild()
	p.make(p.first, 0)
	if p.init != nil {
		pid, _, errno = syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		if errno != 0 {
			p.say(recordFailed, uint32(len(p.first)), uint32(errno))
		}
		if errno != 0 || pid != 0 {
			p.make(p.init, 0)
			p.reap(pid)
		}
	}
	pid, _, _ = syscall.RawSyscall(unix.SYS_GETPID, 0, 0, 0)
	for i := range p.pids {
		*p.pids[i] = uint32(pid)
	}
	p.make(p.last, len(p.first))
	p.exit()
	return 0, 0
}

// make makes calls. An error ends the child.
//
//go:nosplit
//go:norace
func (p *plan) make(calls []call, from int) {
	for i := range calls {
		c := &calls[i]
		if c.opened {
			c.args[0] = p.descriptor
		}
		got, _, errno := syscall.RawSyscall6(c.nr, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], c.args[5])
		if errno != 0 {
			p.say(recordFailed, uint32(from+i), uint32(errno))
			p.exit()
		}
		if c.opens {
			p.descriptor = got
		}
	}
}

// reap waits for all processes of the namespace until the program has ended, and reports how.
// Its exit ends the others.
//
//go:nosplit
//go:norace
func (p *plan) reap(program uintptr) {
	for {
		pid, _, errno := syscall.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(p.status)), 0, 0, 0, 0)
		if errno == unix.EINTR {
			continue
		}
		if errno == 0 && pid == program {
			p.say(recordEnded, *p.status, 0)
		}
		if errno != 0 || pid == program {
			p.exit()
		}
	}
}

// say reports a record.
//
//go:nosplit
//go:norace
func (p *plan) say(kind, a, b uint32) {
	p.record[0], p.record[1], p.record[2] = kind, a, b
	_, _, _ = syscall.RawSyscall(unix.SYS_WRITE, p.report, uintptr(unsafe.Pointer(p.record)), unsafe.Sizeof(*p.record))
}

// exit ends the child.
//
//go:nosplit
//go:norace
func (p *plan) exit() {
	for {
		_, _, _ = syscall.RawSyscall(unix.SYS_EXIT_GROUP, 1, 0, 0)
	}
}

// point returns the address of a value for a call, and keeps it.
func point[T any](p *plan, v *T) uintptr {
	p.keep = append(p.keep, v)
	return uintptr(unsafe.Pointer(v))
}

// text returns the address of a string for a call, ended by a NUL byte.
func (p *plan) text(s string) uintptr {
	b := append([]byte(s), 0)
	return point(p, &b[0])
}

// texts returns the address of a list of strings for a call.
func (p *plan) texts(list []string) uintptr {
	addresses := make([]uintptr, len(list)+1)
	for i, s := range list {
		addresses[i] = p.text(s)
	}
	return point(p, &addresses[0])
}
