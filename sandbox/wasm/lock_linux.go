//go:build (amd64 || arm64) && !nowasm

package wasm

import (
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// lockIn leaves this process no more than its pipes. A kernel without seccomp is no fault: the
// program has no system calls anyway.
func (c *child) lockIn() ([]sandbox.Layer, error) {
	now, seen := use(os.Getpid())
	if !seen {
		return nil, fmt.Errorf("the sizes of this process are unknown: is there no /proc?")
	}
	c.space = now.space
	for _, one := range []int{unix.RLIMIT_CORE, unix.RLIMIT_FSIZE} {
		if err := limit(one, 0); err != nil {
			return nil, fmt.Errorf("rlimits: %w", err)
		}
	}
	layers := []sandbox.Layer{wasmLayer(), {Name: LayerLimits, Holds: true}, {Name: LayerSeccomp, Holds: true, Note: "reads and writes its pipes, and opens nothing"}}
	if err := filterCalls(); err != nil {
		layers[2].Holds, layers[2].Note = false, err.Error()
	}
	return layers, nil
}

// limitMemory limits what this process may have for a job.
func (c *child) limitMemory(more int64) { _ = limit(unix.RLIMIT_AS, uint64(c.space+more+arenas)) }

// arenas is the address space that Go and the C library may reserve and not use.
const arenas = 1 << 30

// allowed are the calls that Go and wazero need to compute and to use open pipes. Those of calls
// have arguments that are examined.
var allowed = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_CLOSE,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE,
	unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_CLOCK_GETTIME, unix.SYS_SCHED_YIELD, unix.SYS_RESTART_SYSCALL,
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRANDOM, unix.SYS_GETRUSAGE, unix.SYS_SCHED_GETAFFINITY,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, // of the C library, in programs with cgo
	unix.SYS_EPOLL_PWAIT, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// What a filter answers.
const (
	answerAllow = 0x7fff0000
	answerKill  = 0x80000000
	answerErrno = 0x00050000
	answerEPERM = answerErrno | uint32(unix.EPERM)
)

// Where the data of a call are, of the first argument the lower half.
const (
	atNumber   = 0
	atArch     = 4
	atArgument = 16
)

// x32 begins the numbers of another ABI of amd64.
const x32 = 0x40000000

// filterCalls refuses all threads of this process, and all that they start, every call that is not
// allowed.
func filterCalls() error {
	code := newFilter(uint32(os.Getpid()))
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	if thread != 0 {
		return fmt.Errorf("a thread has another filter")
	}
	return nil
}

// newFilter makes the filter of a process.
func newFilter(pid uint32) (code []unix.SockFilter) {
	const (
		load  = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		above = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
		bits  = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		give  = unix.BPF_RET | unix.BPF_K
	)
	add := func(op uint16, k uint32, yes, no uint8) {
		code = append(code, unix.SockFilter{Code: op, K: k, Jt: yes, Jf: no})
	}
	add(load, atArch, 0, 0)
	add(equal, auditArch, 1, 0)
	add(give, answerKill, 0, 0)
	add(load, atNumber, 0, 0)
	add(above, x32, 0, 1)
	add(give, answerKill, 0, 0)
	for _, nr := range allowed {
		add(equal, nr, 0, 1)
		add(give, answerAllow, 0, 0)
	}
	add(equal, unix.SYS_CLONE3, 0, 1) // its flags are out of reach; the C library falls back to clone
	add(give, answerErrno|uint32(unix.ENOSYS), 0, 0)
	for _, one := range []struct {
		nr   uint32
		test uint16
		want uint32
	}{{unix.SYS_CLONE, bits, unix.CLONE_THREAD}, {unix.SYS_TGKILL, equal, pid}, {unix.SYS_PRLIMIT64, equal, 0}} {
		add(equal, one.nr, 0, 4)
		add(load, atArgument, 0, 0)
		add(one.test, one.want, 0, 1)
		add(give, answerAllow, 0, 0)
		add(give, answerEPERM, 0, 0)
	}
	add(give, answerEPERM, 0, 0)
	return code
}
