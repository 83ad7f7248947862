package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// system returns the attacks by system calls.
func system() map[string]func(string) error {
	return map[string]func(string) error{
		"socket": func(family string) error {
			n, _ := strconv.Atoi(family)
			return opened(unix.Socket(n, unix.SOCK_DGRAM, 0))
		},
		"pair":      func(string) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0); return err },
		"asyncio":   func(string) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
		"kill":      func(pid string) error { return unix.Kill(number(pid), unix.SIGKILL) },
		"killself":  func(string) error { return unix.Kill(os.Getpid(), unix.SIGKILL) },
		"abort":     func(string) error { return unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSEGV) },
		"ptrace":    func(pid string) error { return unix.PtraceAttach(number(pid)) },
		"peek":      func(pid string) error { return reach(unix.ProcessVMReadv, pid) },
		"poke":      func(pid string) error { return reach(unix.ProcessVMWritev, pid) },
		"prlimit":   func(pid string) error { return unix.Prlimit(number(pid), unix.RLIMIT_CPU, &unix.Rlimit{}, nil) },
		"unshare":   func(string) error { return unix.Unshare(unix.CLONE_NEWUSER) },
		"newuser":   func(string) error { return clone(unix.CLONE_NEWUSER) },
		"clone3":    func(string) error { return call(unix.SYS_CLONE3, 0, 0, 0) },
		"fork":      func(string) error { return clone(0) },
		"enter":     func(string) error { return unix.Setns(0, 0) },
		"mount":     func(string) error { return unix.Mount("none", ".", "tmpfs", 0, "") },
		"chroot":    func(string) error { return unix.Chroot(".") },
		"root":      root,
		"device":    func(string) error { return unix.Mknod("device", unix.S_IFCHR|0o600, 0x0103) },
		"fifo":      func(string) error { return unix.Mkfifo("fifo", 0o600) },
		"outlive":   func(string) error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) },
		"memfd":     func(string) error { return opened(unix.MemfdCreate("x", 0)) },
		"shm":       func(string) error { return opened(unix.SysvShmGet(1, 1<<20, unix.IPC_CREAT|0o600)) },
		"uring":     func(string) error { return call(unix.SYS_IO_URING_SETUP, 1, 0, 0) },
		"bpf":       func(string) error { return call(unix.SYS_BPF, 0, 0, 0) },
		"perf":      func(string) error { return call(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0) },
		"keys":      func(string) error { return call(unix.SYS_KEYCTL, 0, 0, 0) },
		"faults":    func(string) error { return call(unix.SYS_USERFAULTFD, 0, 0, 0) },
		"handle":    func(string) error { return call(unix.SYS_OPEN_BY_HANDLE_AT, 0, 0, 0) },
		"machine":   machine,
		"privilege": privilege,
		"files":     files,
		"share":     share,
		"hold":      hold,
		"raise": func(string) error {
			return unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1 << 19, Max: 1 << 19})
		},

		"daemon": func(string) error { return clone(0) },
		"bomb": func(string) error { // until no more start
			for {
				if err := clone(0); err != nil {
					return err
				}
			}
		},
	}
}

// number reads the number of a process; 0 stands for the parent.
func number(s string) int {
	if n, _ := strconv.Atoi(s); n != 0 {
		return n
	}
	return os.Getppid()
}

// opened closes what was opened.
func opened(_ int, err error) error { return err }

// call makes a system call.
func call(nr, a, b, c uintptr) error {
	if _, _, errno := unix.Syscall(nr, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

// clone forks a process that leaves the session, and stays for ever.
func clone(flags uintptr) error {
	runtime.LockOSThread()
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	for pid == 0 {
		_, _, _ = syscall.RawSyscall(unix.SYS_SETSID, 0, 0, 0)
		_, _, _ = syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
	return nil
}

// machine runs machine code, given in hexadecimal.
func machine(text string) error {
	code, err := hex.DecodeString(text)
	if err != nil {
		return err
	}
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	copy(page, code)
	entry := &page[0]
	closure := unsafe.Pointer(&entry) // a function is a pointer to the address of its code
	(*(*func())(unsafe.Pointer(&closure)))()
	return nil
}

// reach reads or writes the memory of a process.
func reach(call func(pid int, local []unix.Iovec, remote []unix.RemoteIovec, flags uint) (int, error), pid string) error {
	b := make([]byte, 8)
	local, remote := unix.Iovec{Base: &b[0], Len: 8}, unix.RemoteIovec{Base: uintptr(unsafe.Pointer(&b[0])), Len: 8}
	_, err := call(number(pid), []unix.Iovec{local}, []unix.RemoteIovec{remote}, 0)
	return err
}

// hold opens files, and closes none.
func hold(count string) error {
	n, _ := strconv.Atoi(count)
	for range n {
		if _, err := unix.Dup(0); err != nil {
			return err
		}
	}
	return nil
}

// share takes memory that a fork would share, and keeps it.
func share(megabytes string) error {
	n, _ := strconv.Atoi(megabytes)
	memory, err := unix.Mmap(-1, 0, n<<20, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANON)
	if err != nil {
		return err
	}
	for i := 0; i < len(memory); i += unix.Getpagesize() {
		memory[i] = 1
	}
	<-time.After(time.Hour)
	return nil
}

// privilege wants to find no way to more.
func privilege(string) error {
	set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	if err != nil {
		return err
	}
	if set == 1 && (os.Getuid() != 0 && os.Geteuid() != 0 && os.Getgid() != 0 || !capable()) {
		return errors.New("no new privileges")
	}
	return nil
}

// root wants to find no way to be root with any of its capabilities.
func root(string) error {
	if err := unix.Setuid(0); err != nil || capable() {
		return err
	}
	return errors.New("root without any")
}

// capable reports whether this process has a capability, or could get one.
func capable() bool {
	var has [2]unix.CapUserData
	err := unix.Capget(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &has[0])
	return err != nil || has[0].Effective|has[0].Permitted|has[0].Inheritable|has[1].Effective|has[1].Permitted|has[1].Inheritable != 0
}

// files wants to find no open file but the three that everyone has, and those of our own runtime.
func files(string) error {
	for fd := 3; fd < 1<<16; fd++ {
		if _, e := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); e == nil {
			name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
			fmt.Println(fd, name, err)
		}
	}
	<-time.After(0)
	return errors.New("no more")
}
