//go:build amd64 || arm64

package native

import (
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// add adds a call to a list.
func add(list *[]call, what string, nr uintptr, args ...uintptr) {
	c := call{what: what, nr: nr}
	copy(c.args[:], args)
	*list = append(*list, c)
}

// newPlan begins a plan whose child reports to a descriptor, and ends with this thread.
func newPlan(report int) *plan {
	p := &plan{report: uintptr(report), record: new([3]uint32), status: new(uint32)}
	add(&p.first, "setpgid", unix.SYS_SETPGID, 0, 0) // no session: the scheduler would treat it as a group of its own
	return p
}

// attach makes three descriptors the standard input, output and error, and the rest end with exec.
func (p *plan) attach(standard [3]int) {
	for i, fd := range standard {
		add(&p.first, "dup3", unix.SYS_DUP3, uintptr(fd), uintptr(i), 0)
	}
	add(&p.first, "close_range", unix.SYS_CLOSE_RANGE, 3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
}

// become makes the child another user, if owner is not -1, in namespaces of its own.
func (p *plan) become(owner int, user, pid bool) {
	uid, gid := os.Geteuid(), os.Getegid()
	if pid {
		p.flags |= unix.CLONE_NEWPID
	}
	if owner >= 0 {
		uid, gid = owner, owner
		add(&p.first, "setgroups", unix.SYS_SETGROUPS, 0, 0)
		add(&p.first, "setresgid", unix.SYS_SETRESGID, uintptr(gid), uintptr(gid), uintptr(gid))
		add(&p.first, "setresuid", unix.SYS_SETRESUID, uintptr(uid), uintptr(uid), uintptr(uid))
		add(&p.first, "dumpable", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 1) // to write its own maps
	}
	if user && owner >= 0 {
		add(&p.first, "unshare", unix.SYS_UNSHARE, unix.CLONE_NEWUSER)
	} else if user {
		p.flags |= unix.CLONE_NEWUSER
	}
	if user {
		p.write("setgroups map", "/proc/self/setgroups", "deny")
		p.write("uid map", "/proc/self/uid_map", fmt.Sprintf("%d %d 1", uid, uid))
		p.write("gid map", "/proc/self/gid_map", fmt.Sprintf("%d %d 1", gid, gid))
	}
	add(&p.first, "pdeathsig", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL)) // after the change of user, which clears it
	add(&p.first, "umask", unix.SYS_UMASK, 0o077)
	if owner >= 0 { // the child still has our memory, and init keeps it
		add(&p.first, "undumpable", unix.SYS_PRCTL, unix.PR_SET_DUMPABLE, 0)
	}
}

// strip takes root's privileges from a program that stays root. It can get none back, for [plan.shut] refuses new ones.
func (p *plan) strip() {
	add(&p.first, "setgroups", unix.SYS_SETGROUPS, 0, 0)
	none := new([2]unix.CapUserData)
	add(&p.last, "capset", unix.SYS_CAPSET, point(p, &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}), point(p, none))
}

// needParent ends a child whose parent died before the child asked to end with it: a pipe that
// nobody reads ends its writer.
func (p *plan) needParent(reading int) {
	add(&p.first, "close", unix.SYS_CLOSE, uintptr(reading))
	add(&p.first, "alive", unix.SYS_WRITE, p.report, point(p, &[3]uint32{recordAlive}), 12)
}

// write has the child write a file.
func (p *plan) write(what, name, text string) {
	at := unix.AT_FDCWD
	p.first = append(p.first,
		call{what: what, nr: unix.SYS_OPENAT, args: [6]uintptr{uintptr(at), p.text(name), unix.O_WRONLY | unix.O_CLOEXEC}, opens: true},
		call{what: what, nr: unix.SYS_WRITE, args: [6]uintptr{0, p.text(text), uintptr(len(text))}, opened: true},
		call{what: what, nr: unix.SYS_CLOSE, opened: true})
}

// stay has the child stay as the init of its namespace, with no descriptor but that to which it
// reports the end of the program.
func (p *plan) stay(ended int) {
	add(&p.init, "dup3", unix.SYS_DUP3, uintptr(ended), p.report, unix.O_CLOEXEC)
	add(&p.init, "close_range", unix.SYS_CLOSE_RANGE, 0, p.report-1)
	add(&p.init, "close_range", unix.SYS_CLOSE_RANGE, p.report+1, math.MaxUint32)
}

// limit sets the kernel's limits of a process.
func (p *plan) limit(limits sandbox.Limits, user bool) {
	p.limitAlways()
	p.rlimit("rlimit cpu", unix.RLIMIT_CPU, uint64(cpuSeconds(limits)))
	p.rlimit("rlimit fsize", unix.RLIMIT_FSIZE, uint64(limits.FileSize))
	p.rlimit("rlimit nofile", unix.RLIMIT_NOFILE, uint64(limits.Open))
	if user {
		p.rlimit("rlimit nproc", unix.RLIMIT_NPROC, uint64(max(limits.Threads, limits.Processes)+1)) // and init
	}
	p.rlimit("rlimit as", unix.RLIMIT_AS, addresses(limits))
}

// limitAlways sets the limits that no job changes.
func (p *plan) limitAlways() {
	p.rlimit("rlimit core", unix.RLIMIT_CORE, 0)
	p.rlimit("rlimit msgqueue", unix.RLIMIT_MSGQUEUE, 0)
	p.rlimit("rlimit memlock", unix.RLIMIT_MEMLOCK, 0)
	p.rlimit("rlimit nice", unix.RLIMIT_NICE, 0)
	p.rlimit("rlimit rtprio", unix.RLIMIT_RTPRIO, 0)
}

// rlimit sets one of the limits of a process, for good.
func (p *plan) rlimit(what string, resource uintptr, most uint64) {
	add(&p.last, what, unix.SYS_PRLIMIT64, 0, resource, point(p, &unix.Rlimit{Cur: most, Max: most}), 0)
}

// cpuSeconds is the limit of the kernel on the processor. The watcher is more exact.
func cpuSeconds(limits sandbox.Limits) int64 { return sandbox.Seconds(limits.CPU) + 1 }

// shut shuts the program in: no new privileges, the rules, the filter.
func (p *plan) shut(rules int, may filtering) {
	add(&p.last, "no_new_privs", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	if rules >= 0 {
		add(&p.last, "landlock", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0)
	}
	f := newFilter(may)
	for _, i := range f.pids {
		p.pids = append(p.pids, &f.code[i].K)
	}
	point(p, &f.code[0])
	program := point(p, &unix.SockFprog{Len: uint16(len(f.code)), Filter: &f.code[0]})
	add(&p.last, "seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, program)
}

// exec ends the plan with the program.
func (p *plan) exec(program string, argv, environ []string) {
	add(&p.last, callExec, unix.SYS_EXECVE, p.text(program), p.texts(argv), p.texts(environ))
}

// callExec names the call that starts the program.
const callExec = "execve"
