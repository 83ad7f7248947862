//go:build amd64 || arm64

package native

import (
	"slices"

	"golang.org/x/sys/unix"
)

// The instructions of BPF that a filter needs.
const (
	opLoad   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	opEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	opAbove  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	opBits   = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	opMask   = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	opReturn = unix.BPF_RET | unix.BPF_K
)

// What a filter answers.
const (
	answerAllow  = 0x7fff0000
	answerErrno  = 0x00050000
	answerKill   = 0x80000000
	answerDenied = answerErrno | uint32(unix.EPERM)
)

// Where the data of a call are. Of arguments, the lower halves: both processors are little-endian,
// and the kernel looks at no more of those that are examined.
const (
	atNumber   = 0
	atArch     = 4
	atArgument = 16
)

// x32 begins the numbers of the calls of the x32 ABI.
const x32 = 0x40000000

// newSpaces are the flags of clone that make namespaces.
const newSpaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// A filter is a program for seccomp under construction.
type filter struct {
	code []unix.SockFilter
	pids []int // instructions whose constant is the number of the process
}

// add adds an instruction.
func (f *filter) add(op uint16, k uint32, jumps ...uint8) {
	one := unix.SockFilter{Code: op, K: k}
	if len(jumps) == 2 {
		one.Jt, one.Jf = jumps[0], jumps[1]
	}
	f.code = append(f.code, one)
}

// deny refuses a call.
func (f *filter) deny(nr, answer uint32) {
	f.add(opEqual, nr, 0, 1)
	f.add(opReturn, answer)
}

// check examines the first argument of a call: rules, of which the last returns, run with it
// loaded. They may jump among themselves only.
func (f *filter) check(nr uint32, rules func()) {
	at := len(f.code)
	f.add(opEqual, nr, 0, 0)
	f.add(opLoad, atArgument)
	rules()
	f.code[at].Jf = uint8(len(f.code) - at - 1)
}

// onlyFor allows a call whose first argument is 0 or the process itself.
func (f *filter) onlyFor(nr uint32) {
	f.check(nr, f.onlySelf)
}

// A filtering says what a program may do beyond the least.
type filtering struct {
	fork bool // start processes; else only threads
	kill bool // signal any process that the kernel lets it; else only itself

	cut bool // truncate any file that the kernel lets it; else only one that it opens to write

	zygote bool // confine its forks, by a filter after this one
}

// newFilter makes the filter of a program: everything is allowed but what is named.
func newFilter(may filtering) *filter {
	f := &filter{}
	f.begin()
	for _, nr := range slices.Concat(denied, kernel, []uint32{unix.SYS_PERSONALITY, unix.SYS_QUOTACTL}, marks) {
		f.deny(nr, answerDenied)
	}
	for _, nr := range attributes {
		f.deny(nr, answerErrno|uint32(unix.ENOTSUP)) // as a file system that has none: programs that copy files go on
	}
	f.deny(unix.SYS_CLONE3, answerErrno|uint32(unix.ENOSYS)) // its flags are out of reach; libraries fall back to clone
	f.start(may)
	f.check(unix.SYS_SOCKETPAIR, func() { // a connected pair reaches nobody else, and asyncio needs one
		f.add(opEqual, unix.AF_UNIX, 1, 0)
		f.add(opReturn, answerDenied)
		f.add(opLoad, atArgument+8)
		f.add(opMask, 0xf)
		f.add(opEqual, unix.SOCK_STREAM, 1, 0)
		f.add(opReturn, answerDenied)
		f.add(opReturn, answerAllow)
	})
	f.check(unix.SYS_UTIMENSAT, func() { // of an open file
		f.add(opLoad, atArgument+8)
		f.add(opEqual, 0, 1, 0)
		f.add(opReturn, answerDenied)
		f.add(opLoad, atArgument+12)
		f.add(opEqual, 0, 1, 0)
		f.add(opReturn, answerDenied)
		f.add(opReturn, answerAllow)
	})
	f.deny(unix.SYS_OPENAT2, answerErrno|uint32(unix.ENOSYS)) // its flags are out of reach
	if !may.cut {
		f.deny(unix.SYS_TRUNCATE, answerDenied)
	}
	for nr, argument := range opens {
		f.onlyNamed(nr, argument, may)
	}
	f.keepToItself(may)
	f.add(opReturn, answerAllow)
	return f
}

// onlyNamed refuses to make a file without a name, and, if the program may not, to truncate a file that is
// not opened to write, which landlock would let be: it looks at reading and writing alone.
func (f *filter) onlyNamed(nr, argument uint32, may filtering) {
	f.check(nr, func() {
		f.add(opLoad, atArgument+8*argument)
		f.add(opBits, unix.O_TMPFILE&^unix.O_DIRECTORY, 0, 1)
		f.add(opReturn, answerErrno|uint32(unix.ENOTSUP)) // as a file system that has none
		if !may.cut {
			f.add(opBits, unix.O_TRUNC, 1, 0)
			f.add(opReturn, answerAllow)
			f.add(opMask, unix.O_ACCMODE)
			f.add(opEqual, unix.O_WRONLY, 1, 0)
			f.add(opEqual, unix.O_RDWR, 0, 1)
			f.add(opReturn, answerAllow)
			f.add(opReturn, answerDenied)
		}
		f.add(opReturn, answerAllow)
	})
}

// newLastFilter makes the filter of a zygote's fork, beside the zygote's own, which holds too. A small one
// takes less of the time that a fork takes.
func newLastFilter(may filtering) *filter {
	f := &filter{}
	f.add(opLoad, atNumber)
	f.start(may)
	f.keepToItself(may)
	f.add(opReturn, answerAllow)
	return f
}

// start refuses new namespaces, new processes if the program may have none, and threads with a table of open
// files of their own, which nobody would look through.
func (f *filter) start(may filtering) {
	if !may.fork {
		for _, nr := range forks {
			f.deny(nr, answerDenied)
		}
	}
	f.check(unix.SYS_CLONE, func() {
		f.add(opBits, newSpaces, 0, 1)
		f.add(opReturn, answerDenied)
		if !may.fork {
			f.add(opBits, unix.CLONE_THREAD, 1, 0)
			f.add(opReturn, answerDenied)
		}
		f.add(opBits, unix.CLONE_THREAD, 0, 2)
		f.add(opBits, unix.CLONE_FILES, 1, 0)
		f.add(opReturn, answerDenied)
		f.add(opReturn, answerAllow)
	})
}

// keepToItself refuses what reaches other processes.
func (f *filter) keepToItself(may filtering) {
	if !may.zygote {
		f.check(unix.SYS_PRCTL, func() {
			f.add(opEqual, unix.PR_SET_PDEATHSIG, 2, 0)
			f.add(opEqual, unix.PR_SET_DUMPABLE, 1, 0) // we could not count its open files
			f.add(opEqual, unix.PR_SCHED_CORE, 0, 1)   // it takes the other half of a core
			f.add(opReturn, answerDenied)
			f.add(opReturn, answerAllow)
		})
		for _, nr := range schedules {
			f.onlyFor(nr)
		}
		f.onlyOne(unix.SYS_SETPRIORITY, unix.PRIO_PROCESS)
		f.onlyOne(unix.SYS_IOPRIO_SET, ioprioProcess)
		f.deny(unix.SYS_SENDMSG, answerDenied) // it can hold open files
		f.deny(unix.SYS_SENDMMSG, answerDenied)
		signals := []uint32{}
		if !may.kill {
			signals = []uint32{fioSetOwn, unix.SIOCSPGRP} // whom a file signals
			f.denySecond(unix.SYS_FCNTL, answerDenied, unix.F_SETOWN, unix.F_SETOWN_EX)
		}
		f.denySecond(unix.SYS_IOCTL, answerErrno|uint32(unix.ENOTSUP), slices.Concat(reserve, signals)...)
	}
	if !may.kill {
		f.deny(unix.SYS_SETPGID, answerDenied) // kill of 0 reaches the whole group
		f.onlyFor(unix.SYS_KILL)
		f.onlyFor(unix.SYS_TGKILL)
		f.deny(unix.SYS_TKILL, answerDenied)
	}
}

// denySecond refuses a call whose second argument is one of some.
func (f *filter) denySecond(nr, answer uint32, some ...uint32) {
	f.check(nr, func() {
		f.add(opLoad, atArgument+8)
		for i, one := range some {
			f.add(opEqual, one, uint8(len(some)-i), 0)
		}
		f.add(opReturn, answerAllow)
		f.add(opReturn, answer)
	})
}

// onlyOne allows a call whose first argument says that the second one is a process, and whose second one
// is 0 or the process itself.
func (f *filter) onlyOne(nr, process uint32) {
	f.check(nr, func() {
		f.add(opEqual, process, 1, 0)
		f.add(opReturn, answerDenied)
		f.add(opLoad, atArgument+8)
		f.onlySelf()
	})
}

// onlySelf allows a call if 0 or the process itself is loaded.
func (f *filter) onlySelf() {
	f.add(opEqual, 0, 1, 0)
	f.pids = append(f.pids, len(f.code))
	f.add(opEqual, 0, 0, 1)
	f.add(opReturn, answerAllow)
	f.add(opReturn, answerDenied)
}

// schedules are the calls besides setpriority and ioprio_set by which a process can take the processors from
// another one of its user, for good; the first argument names it.
var schedules = []uint32{
	unix.SYS_PRLIMIT64, unix.SYS_SCHED_SETAFFINITY, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETATTR,
}

// Of the kernel, and not in package unix.
const (
	ioprioProcess = 1      // IOPRIO_WHO_PROCESS
	fioSetOwn     = 0x8901 // FIOSETOWN
)

// reserve are the operations of ioctl that do what fallocate does: FS_IOC_RESVSP, RESVSP64 and ZERO_RANGE.
var reserve = []uint32{0x40305828, 0x4030582a, 0x40305839}

// attributes are the calls that read extended attributes of files by name, which landlock lets a program do
// wherever its user may.
var attributes = []uint32{
	unix.SYS_GETXATTR, unix.SYS_LGETXATTR, unix.SYS_GETXATTRAT, unix.SYS_LISTXATTR, unix.SYS_LLISTXATTR, unix.SYS_LISTXATTRAT, unix.SYS_FILE_GETATTR,
	unix.SYS_FALLOCATE, // more disk in a moment than any watcher sees
}

// denied are calls of no use to a program that computes. Some reach other processes, some the
// kernel's rarely used parts, some memory that no limit counts.
var denied = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE, unix.SYS_KCMP,
	unix.SYS_PIDFD_GETFD, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PROCESS_MRELEASE, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES,

	unix.SYS_SOCKET, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET, unix.SYS_USERFAULTFD,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN,

	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT,
	unix.SYS_FSCONFIG, unix.SYS_FSPICK, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT,

	// Landlock lets a program change the mode and owner of any file of its user, by name.
	unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWNAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR, unix.SYS_FSETXATTR,

	unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT, unix.SYS_QUOTACTL_FD, // they tell of files elsewhere
}
