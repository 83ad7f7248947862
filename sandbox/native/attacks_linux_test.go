//go:build amd64 || arm64

package native

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// ways are boxes whose jobs of Python are confined in different ways, by name.
func ways(t *testing.T) map[string]*Box {
	t.Helper()
	all := map[string]*Box{}
	add := func(name string, config Config, lacks ...string) {
		config.Dir = t.TempDir()
		passable(t, config.Dir)
		zygote := config.Zygote
		if len(lacks) > 0 {
			config.Zygote = nil
		}
		b := openWith(t, config)
		for i, one := range b.strength.Layers {
			b.strength.Layers[i].Holds = one.Holds && !slices.Contains(lacks, one.Name)
		}
		if b.config.Zygote = zygote; len(lacks) > 0 {
			if err := b.startZygotes(); err != nil {
				t.Fatal(err)
			}
		}
		if b.strength.Err() == nil {
			all[name] = b
		}
	}
	if len(here(isolated)) == 0 {
		return nil
	}
	add("by a zygote", Config{Zygote: isolated})
	add("by a zygote, without namespaces", Config{Zygote: isolated}, LayerUserSpace, LayerPIDSpace)
	if everyWay {
		add("fresh", Config{})
		add("fresh, without namespaces", Config{}, LayerUserSpace, LayerPIDSpace)
		add("by a zygote, with an older landlock", Config{Zygote: isolated, abi: leastABI})
	}
	return all
}

// attacks begins the attacks of Python: it has the calls that Python lacks.
const attacks = `
import ctypes, os, fcntl, mmap, signal, sys, threading, time, _socket
libc = ctypes.CDLL(None, use_errno=True)
def call(nr, *args):
    if libc.syscall(ctypes.c_long(nr), *args) < 0:
        raise OSError(ctypes.get_errno(), "")
def prctl(*args):
    if libc.prctl(*args) < 0:
        raise OSError(ctypes.get_errno(), "")
def attribute(pid): # struct sched_attr
    call(SCHED_SETATTR, pid, (ctypes.c_uint32 * 12)(48, os.SCHED_BATCH, 0, 0, 19), 0)
def send():
    a, b = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
    a.sendmsg([b"x"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, (0).to_bytes(4, "little"))])
def table(): # a thread without CLONE_FILES
    call(CLONE, 0x10900, 0, 0, 0, 0)
def reserve():
    with open("reserved", "wb") as f:
        for reserved in (lambda: os.posix_fallocate(f.fileno(), 0, 1), lambda: call(FALLOCATE, f.fileno(), 1, ctypes.c_long(0), ctypes.c_long(1 << 30)),
                         lambda: fcntl.ioctl(f.fileno(), 0x4030582a, (0).to_bytes(16, "little") + (1 << 30).to_bytes(32, "little"))):
            try:
                reserved()
            except OSError:
                continue
            if os.stat("reserved").st_blocks > 64:
                return
    raise OSError(95, "")
def tell_by_signal():
    r, w = os.pipe()
    fcntl.fcntl(r, 10, signal.SIGKILL) # F_SETSIG
    fcntl.fcntl(r, fcntl.F_SETOWN, os.getppid())
    fcntl.fcntl(r, fcntl.F_SETFL, os.O_ASYNC)
    os.write(w, b"x")
def hoard(n, mapped=False): # megabytes, in files of eight that lose their names
    name = "hoard-%d-%d" % (os.getpid(), threading.get_native_id())
    for _ in range(n // 8):
        fd = os.open(name, os.O_CREAT | os.O_RDWR | os.O_EXCL)
        os.unlink(name)
        if mapped: # as PROT_NONE, so that nothing is read
            libc.mmap(None, 4096, 0, 2, fd, ctypes.c_long(0))
        for _ in range(8):
            os.write(fd, bytes(1 << 20))
            os.write(1, b"x")
        if mapped:
            os.close(fd)
    time.sleep(1000)
def leave(*args): # the first thread ends
    threading.Thread(target=hoard, args=args).start()
    libc.syscall(ctypes.c_long(EXIT), 0)
def grow():
    time.sleep(0.05) # mostly until the first thread has ended
    more = bytearray(700 << 20)
    more[::4096] = bytes(len(more) // 4096)
    time.sleep(1000)
def conceal(): # become a program that nobody may read
    fd = os.open("kept", os.O_CREAT | os.O_RDWR)
    os.set_inheritable(fd, True)
    os.write(fd, bytes(1 << 20))
    with open("dark", "wb") as f:
        f.write(open("/bin/sleep", "rb").read())
    os.chmod(os.open("dark", 0), 0o111)
    os.execv("./dark", ["sleep", "1000"])
`

// attacker is a job of Python that can attack.
func attacker(code string) sandbox.Job {
	begin := attacks
	for name, nr := range map[string]int{"SCHED_SETATTR": unix.SYS_SCHED_SETATTR, "CLONE": unix.SYS_CLONE, "FALLOCATE": unix.SYS_FALLOCATE, "EXIT": unix.SYS_EXIT, "IOPRIO_SET": unix.SYS_IOPRIO_SET, "INOTIFY": unix.SYS_INOTIFY_ADD_WATCH} {
		begin = fmt.Sprintf("%s = %d\n", name, nr) + begin
	}
	return sandbox.Job{Argv: slices.Concat(isolated, []string{"-c", begin + code}), Limits: sandbox.Limits{Wall: 10 * time.Minute, Idle: 10 * time.Second, Disk: 16 << 20}}
}

// No program changes what another process gets of the processors, changes the mode or owner of a file by name,
// or learns of files elsewhere by calls that landlock lets be. Its own share is its own affair.
func TestSandboxShares(t *testing.T) {
	reaching := []string{
		"os.sched_setaffinity(PID, {0})", "os.sched_setscheduler(PID, os.SCHED_BATCH, os.sched_param(0))", "os.sched_setparam(PID, os.sched_param(0))", "attribute(PID)",
		"os.setpriority(os.PRIO_PROCESS, PID, 19)", "call(IOPRIO_SET, 1, PID, 3 << 13)",
	}
	refused := []string{
		"os.setpriority(os.PRIO_PGRP, 0, 19)", "os.setpriority(os.PRIO_USER, os.getuid(), 19)", "call(IOPRIO_SET, 2, 0, 3 << 13)", "call(IOPRIO_SET, 3, os.getuid(), 3 << 13)",
		"prctl(62, 1, 0, 0, 0)", "prctl(4, 0)", "call(INOTIFY, libc.inotify_init1(0), b'/etc', 0xfff)", "call(INOTIFY, libc.inotify_init1(0), b'..', 0xfff)",
		"os.getxattr('/etc/passwd', 'user.x')", "os.getxattr('/etc/passwd', 'user.x', follow_symlinks=False)", "os.listxattr('/etc/passwd')", "os.listxattr('..')", "os.setxattr(0, 'user.x', bytes(100))",
		"os.open('.', os.O_TMPFILE | os.O_RDWR)", "send()", "table()", "reserve()",
		"os.chmod('.', 0o777)", "os.chmod('.', 0o777, dir_fd=os.open('.', 0))", "os.chown('.', os.getuid(), os.getgid())", "os.chown('.', os.getuid(), os.getgid(), dir_fd=os.open('.', 0))",
	}
	for _, one := range reaching {
		refused = append(refused, strings.ReplaceAll(one, "PID", "os.getppid()"), strings.ReplaceAll(one, "PID", fmt.Sprint(os.Getpid())), strings.ReplaceAll(one, "PID", "1"))
	}
	tries := ""
	for _, code := range refused {
		tries += "try:\n    print('done', " + code + ")\nexcept OSError as e:\n    print('refused', e.errno)\n"
	}
	own := strings.Join(reaching, "\n")
	own = strings.ReplaceAll(own, "PID", "0") + "\n" + strings.ReplaceAll(own, "PID", "os.getpid()") + "\ntry: tell_by_signal()\nexcept OSError: pass\nprint('done')"
	for way, b := range ways(t) {
		got, err := b.Run(t.Context(), attacker(tries))
		lines := strings.Split(strings.TrimSpace(string(got.Stdout)), "\n")
		if err != nil || len(lines) != len(refused) {
			t.Fatalf("%s: %+v, error %v", way, got, err)
		}
		for i, code := range refused {
			if !slices.Contains([]string{"refused 1", "refused 3", "refused 95"}, lines[i]) { // EPERM, of a process that it cannot see ESRCH, ENOTSUP
				t.Errorf("%s, %s: %s", way, code, lines[i])
			}
		}
		if got, err := b.Run(t.Context(), attacker(own)); err != nil || string(got.Stdout) != "done\n" {
			t.Errorf("%s, its own: %+v, %s, error %v", way, got.End, got.Stderr, err)
		}
	}
}

// A job may open its input and outputs by name, as JavaScript mostly does, also if we are root.
func TestSandboxStreamsByName(t *testing.T) {
	for way, b := range ways(t) {
		job := attacker("open('/dev/stdout', 'w').write(open('/dev/stdin').read())\nopen('/proc/self/fd/2', 'w').write('said')")
		job.Stdin = []byte("abc")
		if got, err := b.Run(t.Context(), job); err != nil || string(got.Stdout) != "abc" || string(got.Stderr) != "said" {
			t.Errorf("%s: %+v, error %v", way, got, err)
		}
	}
}

// A job is ended at its limit of disk, however it holds what it has written.
func TestSandboxDisk(t *testing.T) {
	all := []string{"hoard(400)", "hoard(400, True)", "leave(400)", "leave(400, True)", "for _ in range(8): threading.Thread(target=hoard, args=(100,)).start()"}
	held := func(way, code string, b *Box, job sandbox.Job) {
		got, err := b.Run(t.Context(), job)
		if err != nil || got.End != sandbox.DiskLimit {
			t.Errorf("%s, %s: %+v, %s, error %v", way, code, got.End, got.Stderr, err)
		}
		t.Logf("%s, %s: %d MiB of disk, 16 are allowed", way, code, len(got.Stdout))
	}
	for way, b := range ways(t) {
		for _, code := range all {
			held(way, code, b, attacker(code))
		}
		if b.strength.Holds(LayerPIDSpace) {
			job := attacker("pids = [os.fork() for _ in range(3)]\nhoard(100)")
			job.Limits.Processes = 20
			held(way, "eight processes", b, job)
		}
		hidden := attacker("conceal()") // whose open files we may still be allowed to look at
		hidden.Limits.Idle = time.Second
		if got, err := b.Run(t.Context(), hidden); err != nil || got.End != sandbox.DiskLimit && got.End != sandbox.WallLimit {
			t.Errorf("%s: a program that nobody may read: %+v, %s, error %v", way, got.End, got.Stderr, err)
		}
		memory := attacker("threading.Thread(target=grow).start()\nlibc.syscall(ctypes.c_long(EXIT), 0)")
		if got, err := b.Run(t.Context(), memory); err != nil || got.End != sandbox.MemoryLimit {
			t.Errorf("%s: memory of a process whose first thread has ended: %+v, error %v", way, got.End, err)
		}
	}
}
