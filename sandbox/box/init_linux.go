//go:build amd64 || arm64

package box

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The init of a phase is a fork of this process that never returns to Go: it gives back the memory that it has of us, and
// then makes the system calls that we send it, itself or in a fork of its own (decision 028). No call of what is below
// begin may split the stack, allocate, change a variable of the program, or store a pointer.

// A step is a system call.
type step struct {
	nr   uintptr
	args [6]uintptr
	to   uint32 // number that the descriptor it returns shall have; 0: it returns none
	skip uint32 // how many of the next steps to pass over if there is no error
	soft uint32 // 1: an error does not matter
	name uint32 // index in the program's names
}

// Sizes of an init's own memory: a cell, and after it the last message.
const (
	cellSize    = 4 << 10
	messageSize = 192 << 10
	regionSize  = cellSize + messageSize
)

// The descriptors of an init. Those of a message begin at given.
const (
	controlFD = 3
	signalFD  = 4
	givenFD   = 300
	mostGiven = 200 // with one message
	slotFD    = 600 // the first that programs may use
)

// The kinds of records, and of heads.
const (
	recordDone    = 1 // the init made all steps
	recordFailed  = 2 // Value: error number, Index: of the step; Process 1: in the init
	recordStarted = 3 // Process begins to make the steps
	recordEnded   = 4 // Process ended; Value: wait status
	recordGiven   = 5 // descriptors come with it
)

// A record is what an init says. It is a packet.
type record struct {
	Kind, Process, Value, Index uint32
	User, System                int64 // microseconds of the processor, of an ended process and those that it waited for
}

const recordSize = 32

// A head begins a message.
type head struct {
	count uint32 // steps
	at    uint32 // where the first is, in bytes from the head
	fork  uint32 // 1: a fork makes them
	_     uint32
}

// A span is a part of the address space that an init gives back.
type span struct{ from, to, wipe uintptr } // wipe 1: it goes on as it was when the program was loaded

// A cell is what an init writes to and reads from. It is not in Go's heap.
type cell struct {
	pidfd   int32
	_       int32
	spans   uintptr // how many
	stack   uintptr // an address of the stack
	poll    [2]unix.PollFd
	message unix.Msghdr
	vector  unix.Iovec
	record  record
	status  uint32
	_       uint32
	usage   unix.Rusage
	signal  [128]byte
	control [16 + 4*mostGiven]byte
	list    [64]span
}

// The runtime keeps three functions for programs that fork by themselves (go.dev/issue/67401).

//go:linkname beforeFork syscall.runtime_BeforeFork
func beforeFork()

//go:linkname afterFork syscall.runtime_AfterFork
func afterFork()

//go:linkname afterForkInChild syscall.runtime_AfterForkInChild
func afterForkInChild()

// fork makes an init with the program that is in the message, which must not fork.
//
//go:noinline
//go:norace
func (c *cell) fork(flags uintptr) (pid int, err error) {
	var here byte
	syscall.ForkLock.Lock()
	defer syscall.ForkLock.Unlock()
	beforeFork()
	n, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, uintptr(unsafe.Pointer(&c.pidfd)), 0, 0, 0)
	if errno != 0 || n != 0 {
		afterFork()
		if errno != 0 {
			return 0, errno
		}
		return int(n), nil
	}
	afterForkInChild()
	c.begin(uintptr(unsafe.Pointer(&here)))
	return 0, nil
}

// begin is what an init does.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cell) begin(stack uintptr) {
	c.stack = stack
	c.follow()
	c.shed()
	for {
		c.poll[0].Revents, c.poll[1].Revents = 0, 0
		_, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&c.poll[0])), 2, 0, 0, 0, 0)
		if errno != 0 && errno != unix.EINTR {
			exit()
		}
		if c.poll[1].Revents != 0 {
			c.reap()
		}
		if c.poll[0].Revents != 0 {
			c.take()
		}
	}
}

// head is that of the message.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cell) head() *head { return (*head)(unsafe.Add(unsafe.Pointer(c), cellSize)) }

// follow makes the steps of the message. An error ends a fork; an init tells it.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cell) follow() bool {
	h := c.head()
	for i := uint32(0); i < h.count; i++ {
		s := (*step)(unsafe.Add(unsafe.Pointer(h), uintptr(h.at)+uintptr(i)*unsafe.Sizeof(step{})))
		got, _, errno := syscall.RawSyscall6(s.nr, s.args[0], s.args[1], s.args[2], s.args[3], s.args[4], s.args[5])
		if errno == 0 && s.to != 0 && got != uintptr(s.to) {
			_, _, errno = syscall.RawSyscall6(unix.SYS_DUP3, got, uintptr(s.to), unix.O_CLOEXEC, 0, 0, 0)
			_, _, _ = syscall.RawSyscall6(unix.SYS_CLOSE, got, 0, 0, 0, 0, 0)
		}
		if errno == 0 {
			i += s.skip
		} else if s.soft == 0 {
			pid, _, _ := syscall.RawSyscall6(unix.SYS_GETPID, 0, 0, 0, 0, 0, 0)
			c.say(recordFailed, uint32(pid), uint32(errno), i)
			return false
		}
	}
	return true
}

// shed gives memory back, but for the pages of the stack.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cell) shed() {
	low, high := (c.stack-8<<10)&^4095, (c.stack+8<<10)&^4095
	for i := uintptr(0); i < c.spans; i++ {
		s := (*span)(unsafe.Add(unsafe.Pointer(&c.list), i*unsafe.Sizeof(span{})))
		if low >= s.to || high <= s.from {
			drop(s.from, s.to, s.wipe)
			continue
		}
		drop(s.from, low, s.wipe)
		drop(high, s.to, s.wipe)
	}
}

// drop gives a part back, or its contents.
//
//go:nosplit
//go:norace
func drop(from, to, wipe uintptr) {
	switch {
	case from >= to:
	case wipe != 0:
		_, _, _ = syscall.RawSyscall6(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED, 0, 0, 0)
	default:
		_, _, _ = syscall.RawSyscall6(unix.SYS_MUNMAP, from, to-from, 0, 0, 0, 0)
	}
}

// take takes a message, with its descriptors, and does what it says.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cell) take() {
	c.message.Controllen, c.message.Flags = uint64(unsafe.Sizeof(c.control)), 0
	n, _, errno := syscall.RawSyscall6(unix.SYS_RECVMSG, controlFD, uintptr(unsafe.Pointer(&c.message)), unix.MSG_CMSG_CLOEXEC, 0, 0, 0)
	if errno == unix.EINTR {
		return
	}
	if errno != 0 || n == 0 {
		exit() // and with the init all that is in its namespace: nobody waits for it any more
	}
	if c.message.Controllen >= 16 {
		size := *(*uint64)(unsafe.Pointer(&c.control))
		for i := uintptr(0); 16+4*i < uintptr(size); i++ {
			fd := uintptr(*(*uint32)(unsafe.Add(unsafe.Pointer(&c.control), 16+4*i)))
			_, _, _ = syscall.RawSyscall6(unix.SYS_DUP3, fd, givenFD+i, unix.O_CLOEXEC, 0, 0, 0)
			_, _, _ = syscall.RawSyscall6(unix.SYS_CLOSE, fd, 0, 0, 0, 0, 0)
		}
	}
	if c.head().fork == 0 {
		if c.follow() {
			c.say(recordDone, 1, 0, 0)
		}
	} else {
		pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
		switch {
		case errno != 0:
			c.say(recordFailed, 1, uint32(errno), 0)
		case pid == 0:
			c.follow()
			exit()
		default:
			c.say(recordStarted, uint32(pid), 0, 0)
		}
	}
	_, _, _ = syscall.RawSyscall6(unix.SYS_CLOSE_RANGE, givenFD, slotFD-1, 0, 0, 0, 0)
}

// reap waits for all processes that have ended, and tells of each. One that stops had itself traced by its parent, which
// the init is: it goes on untraced, with the signal that it stopped for.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cell) reap() {
	_, _, _ = syscall.RawSyscall6(unix.SYS_READ, signalFD, uintptr(unsafe.Pointer(&c.signal)), unsafe.Sizeof(c.signal), 0, 0, 0)
	for {
		pid, _, errno := syscall.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), uintptr(unsafe.Pointer(&c.status)), unix.WNOHANG|unix.WALL, uintptr(unsafe.Pointer(&c.usage)), 0, 0)
		if errno == unix.EINTR {
			continue
		}
		if errno != 0 || pid == 0 {
			return
		}
		if c.status&0xff == 0x7f {
			sig := uintptr(c.status >> 8 & 0xff)
			if sig == uintptr(unix.SIGTRAP) { // for an exec
				sig = 0
			}
			_, _, _ = syscall.RawSyscall6(unix.SYS_PTRACE, unix.PTRACE_DETACH, pid, 0, sig, 0, 0)
			continue
		}
		c.record.User = c.usage.Utime.Sec*1e6 + c.usage.Utime.Usec
		c.record.System = c.usage.Stime.Sec*1e6 + c.usage.Stime.Usec
		c.say(recordEnded, uint32(pid), c.status, 0)
	}
}

// say sends a record. If nobody reads, the init ends.
//
//go:nosplit
//go:norace
//go:nocheckptr
func (c *cell) say(kind, process, value, index uint32) {
	c.record.Kind, c.record.Process, c.record.Value, c.record.Index = kind, process, value, index
	for {
		_, _, errno := syscall.RawSyscall6(unix.SYS_SENDTO, controlFD, uintptr(unsafe.Pointer(&c.record)), recordSize, unix.MSG_NOSIGNAL, 0, 0)
		if errno == 0 {
			return
		}
		if errno != unix.EINTR {
			exit()
		}
	}
}

// exit ends the process.
//
//go:nosplit
//go:norace
func exit() {
	for {
		_, _, _ = syscall.RawSyscall6(unix.SYS_EXIT_GROUP, 1, 0, 0, 0, 0, 0)
	}
}
