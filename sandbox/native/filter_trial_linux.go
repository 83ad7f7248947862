//go:build amd64 || arm64

package native

import (
	"slices"

	"golang.org/x/sys/unix"
)

// TrialFilter makes the filter of a program in a root file system and namespaces of its own, which may do there what programs
// do: open sockets, change owners, signal others. Traced: it may trace others. Everything is allowed but what is named.
func TrialFilter(traced bool) []unix.SockFilter {
	f := &filter{}
	f.begin()
	for _, nr := range outside {
		f.deny(nr, answerDenied)
	}
	if !traced {
		for _, nr := range tracing {
			f.deny(nr, answerDenied)
		}
	}
	f.deny(unix.SYS_CLONE3, answerErrno|uint32(unix.ENOSYS)) // its flags are out of reach; libraries fall back to clone
	f.check(unix.SYS_CLONE, func() {
		f.add(opBits, newSpaces, 0, 1)
		f.add(opReturn, answerDenied)
		f.add(opReturn, answerAllow)
	})
	f.sockets()
	f.denySecond(unix.SYS_IOCTL, answerDenied, unix.TIOCSTI, unix.TIOCLINUX)
	f.add(opReturn, answerAllow)
	return f.code
}

// begin ends a program of another processor's calls, and loads the number of the call.
func (f *filter) begin() {
	f.add(opLoad, atArch)
	f.add(opEqual, auditArch, 1, 0)
	f.add(opReturn, answerKill)
	f.add(opLoad, atNumber)
	f.add(opAbove, x32, 0, 1)
	f.add(opReturn, answerKill)
}

// sockets allows those of IP and Unix, and of the kernel's only that which tells of routes.
func (f *filter) sockets() {
	const unsupported = answerErrno | uint32(unix.EAFNOSUPPORT)
	f.check(unix.SYS_SOCKET, func() {
		f.add(opEqual, unix.AF_NETLINK, 0, 4)
		f.add(opLoad, atArgument+16)
		f.add(opEqual, unix.NETLINK_ROUTE, 0, 1)
		f.add(opReturn, answerAllow)
		f.add(opReturn, unsupported)
		f.add(opEqual, unix.AF_UNIX, 3, 0)
		f.add(opEqual, unix.AF_INET, 2, 0)
		f.add(opEqual, unix.AF_INET6, 1, 0)
		f.add(opReturn, unsupported)
		f.add(opLoad, atArgument+8)
		f.add(opMask, 0xf)
		f.add(opEqual, unix.SOCK_RAW, 0, 1)
		f.add(opReturn, answerDenied)
		f.add(opReturn, answerAllow)
	})
}

// tracing are the calls that reach into other processes.
var tracing = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PERSONALITY, // of use to debuggers alone
}

// outside are the calls that change namespaces and mounts, or reach the kernel's rarely used parts.
var outside = slices.Concat([]uint32{
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_UNSHARE, unix.SYS_SETNS,
	unix.SYS_MOUNT_SETATTR, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_FSPICK,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT,
	unix.SYS_MIGRATE_PAGES, unix.SYS_MOVE_PAGES, unix.SYS_USERFAULTFD, unix.SYS_MEMFD_SECRET,
}, kernel)

// kernel are calls that no program of ours needs.
var kernel = []uint32{
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_ACCT, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
}
