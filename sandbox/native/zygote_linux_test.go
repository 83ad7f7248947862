//go:build amd64 || arm64

package native

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// isolated is the zygote of the tests.
var isolated = []string{"python3", "-I", "-S"}

// programs are programs of Python that a fork of a zygote must run as a fresh interpreter does.
var programs = map[string]string{
	"nothing":           "",
	"a line":            "print(1)",
	"its arguments":     "import sys; print(sys.argv, sys.orig_argv, sys.flags, sys.path, sys.executable, sys.warnoptions)",
	"its main":          "import sys; print(sorted(globals()), __name__, __doc__, __spec__, __package__, __loader__, sys.modules['__main__'].__dict__ is globals())",
	"its file":          "print(globals().get('__file__', '')[-7:])",
	"its environment":   "import os; print([(k, v) for k, v in os.environ.items() if k not in ('HOME', 'TMPDIR')], os.environ['HOME'] == os.environ['TMPDIR'] == os.getcwd())",
	"an error":          "def f(n):\n    return 1 // n\nprint('a')\nf(0)\n",
	"a chain of errors": "try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('b') from e\n",
	"a syntax error":    "x = 1\ny = = 2\n",
	"an indent":         "if 1:\nx = 2\n",
	"an open bracket":   "x = (1,\n",
	"tabs and spaces":   "if 1:\n\tx = 2\n        y = 3\n",
	"no code":           "# only a comment",
	"other line ends":   "print(1)\r\nprint(2)\r\n",
	"an encoding":       "# -*- coding: latin-1 -*-\nprint('ä')\n",
	"no such encoding":  "# -*- coding: klingon -*-\nprint('ä')\n",
	"a byte order mark": "\ufeffprint('ä')\n",
	"a status":          "import sys; sys.exit(7)",
	"a status of text":  "import sys; print('out'); sys.exit('over')",
	"no status":         "raise SystemExit",
	"a large status":    "raise SystemExit(1000)",
	"an exit at once":   "import os; print('lost'); os._exit(3)",
	"a signal":          "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
	"an interrupt":      "raise KeyboardInterrupt",
	"caught interrupt":  "try:\n    raise KeyboardInterrupt\nexcept KeyboardInterrupt:\n    print('caught')\n1/0",
	"an abort":          "import os; os.abort()",
	"at exit":           "import atexit\natexit.register(print, 'a')\natexit.register(print, 'b')\nprint('c')\n",
	"at exit, an error": "import atexit\natexit.register(lambda: 1/0)\nraise ValueError(1)\n",
	"at exit, a status": "import atexit, os\natexit.register(os._exit, 9)\n",
	"a thread at exit":  "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.05), print('late'))).start()\nprint('main')\n",
	"a daemon":          "import threading, time\nthreading.Thread(target=time.sleep, args=(100,), daemon=True).start()\nprint('main')\n",
	"a finalizer":       "class A:\n    def __del__(self): print('del')\na = A()\nb = [a]; b.append(b)\n",
	"an error in one":   "class A:\n    def __del__(self): 1/0\nA()\n",
	"no end of line":    "print('a', end='')",
	"much output":       "for i in range(9999): print(i)",
	"both outputs":      "import sys\nprint('a'); print('b', file=sys.stderr); sys.stdout.flush(); print('c', file=sys.stderr)",
	"closed output":     "import os; os.close(1); print('a')",
	"its input":         "import sys; print(input(), sys.stdin.read(), sys.stdin.isatty(), sys.stdin.seekable())",
	"too much input":    "for _ in range(9): print(input())",
	"bytes of input":    "import sys; print(sys.stdin.buffer.read())",
	"its streams":       "import sys\nfor f in sys.stdin, sys.stdout, sys.stderr: print(f, f.line_buffering, f.write_through, f.errors, f.fileno(), f.name)",
	"own hooks":         "import sys\nsys.excepthook = lambda *a: print('hook', a[0], a[1], a[2].tb_next)\n1/0",
	"a broken hook":     "import sys\nsys.excepthook = lambda *a: exit(4)\nsys.stderr = None\n1/0",
	"deep":              "def f(n): return n and f(n-1)\nprint(f(990))\nfor n in range(990, 1010):\n    try: f(n)\n    except RecursionError: print(n); break\n",
	"too deep":          "def f(n): return f(n+1)\nf(0)",
	"modules":           "import json, re, random, numbers, heapq, csv\nprint(json.dumps({'a': [1.5, None]}), re.sub('a+', 'b', 'caat'), heapq.nlargest(2, [1, 3, 2]))",
	"no module":         "import numpy_that_is_not_there",
	"a file":            "open('x.txt', 'w').write('hi'); print(open('x.txt').read(), sorted(__import__('os').listdir('.')))",
	"a seed":            "import random; random.seed(5); print(random.random(), random.sample(range(99), 5))",
	"no process":        "import os\ntry: os.fork()\nexcept OSError as e: print(e)\n",
	"no program":        "import subprocess\ntry: subprocess.run(['ls'])\nexcept OSError as e: print(type(e), e.errno)\n",
	"exec":              "import os; os.execv('/bin/echo', ['echo', 'hi'])",
	"open files":        "import os\nprint([fd for fd in range(64) if not os.path.exists('x') and (lambda: [1 for _ in [0] if os.fstat(fd)])()] if 0 else '')\nfor fd in range(3, 64):\n    try: print(fd, os.fstat(fd))\n    except OSError: pass\n",
	"limits":            "import resource as r\nprint([r.getrlimit(i) for i in (r.RLIMIT_CPU, r.RLIMIT_FSIZE, r.RLIMIT_NOFILE, r.RLIMIT_AS, r.RLIMIT_CORE, r.RLIMIT_MEMLOCK, r.RLIMIT_STACK)])",
	"raised limits":     "import resource as r\nfor i in (r.RLIMIT_CPU, r.RLIMIT_NOFILE, r.RLIMIT_AS):\n    try: r.setrlimit(i, (r.RLIM_INFINITY,) * 2)\n    except ValueError as e: print(e)\n",
	"a file too large":  "open('x', 'w').write('a' * (20 << 20))",
	"no memory":         "try: bytearray(3 << 30)\nexcept MemoryError: print('none')\n",
	"a future":          "from __future__ import annotations\ndef f(x: nothing): pass\nprint(f.__annotations__)",
	"annotations":       "x: int = 3\nprint(__annotations__)",
	"its group":         "import os; print(os.getpgid(0) == os.getpid(), os.getuid() != 0, os.umask(0))",
	"garbage":           "import gc; print(gc.isenabled(), gc.get_threshold(), gc.garbage)",
	"warnings":          "import warnings; warnings.warn('w'); print('\\d' == '\\\\d')",
	"hooks of signals":  "import signal; print(signal.getsignal(signal.SIGCHLD), signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGPIPE), signal.pthread_sigmask(signal.SIG_BLOCK, []))",
	"decimals":          "import decimal; print(decimal.getcontext(), decimal.Decimal(1) / 3)",
	"ctypes":            "import ctypes; print(ctypes.CDLL(None).getpid() > 0, ctypes.get_errno())",
	"asyncio":           "import asyncio\nasync def f(): await asyncio.sleep(.01); return 3\nprint(asyncio.run(f()))\n",
	"its name":          "import os, threading; print(threading.current_thread(), threading.main_thread() is threading.current_thread(), threading.active_count())",
}

// address is where something is in memory.
var address = regexp.MustCompile(`0x[0-9a-f]+|started [0-9]+`)

// A fork of a zygote gives the result that a fresh interpreter gives.
func TestZygoteIsLikeFresh(t *testing.T) {
	fresh, warm := pair(t)
	if fresh == nil {
		return
	}
	for i, name := range slices.Sorted(maps.Keys(programs)) {
		if i%each > 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			source := programs[name]
			for _, job := range []sandbox.Job{
				{Argv: []string{"prog.py", "an", "argument \xff"}, Files: map[string][]byte{"prog.py": []byte(source)}},
				{Argv: []string{"./sub/../prog.py"}, Files: map[string][]byte{"prog.py": []byte(source)}}, // fresh in both
				{Argv: []string{"-c", source, "-x"}},
			} {
				job.Argv = append(isolated[:3:3], job.Argv...)
				job.Stdin = []byte("one\ntwo\xff\nthree")
				same(t, fresh, warm, job)
			}
		})
	}
	if n := warm.zygotes.next; n <= 2*len(programs)/each { // one for the start
		t.Errorf("the zygote forked %d times for %d programs", n, len(programs))
	}
}

// pair opens a box without zygotes, and one with; nil where neither runs.
func pair(t *testing.T) (fresh, warm *Box) {
	t.Helper()
	fresh, warm = zygoteBox(t, nil), zygoteBox(t, isolated)
	if warm == nil {
		return nil, nil
	}
	return fresh, warm
}

// zygoteBox opens a box with zygotes; nil where none can run.
func zygoteBox(t *testing.T, zygote []string) *Box {
	t.Helper()
	dir := t.TempDir()
	passable(t, dir)
	b := openWith(t, Config{Dir: dir, Zygote: here(zygote)})
	if len(b.strength.Lacks) > 0 || len(zygote) > 0 && len(b.config.Zygote) == 0 {
		t.Logf("no zygote runs here: lacks %q, python3 or more", b.strength.Lacks)
		return nil
	}
	return b
}

// here returns the arguments of a zygote, or none where there is no such interpreter.
func here(zygote []string) []string {
	if len(zygote) > 0 {
		if _, err := lookUp(zygote[0]); err != nil {
			return nil
		}
	}
	return zygote
}

// same runs a job in two boxes, and compares all but the time. It returns the output.
func same(t *testing.T, fresh, warm *Box, job sandbox.Job) string {
	t.Helper()
	want, err := fresh.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	got, err := warm.Run(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	text := func(b *Box, out []byte) string { return address.ReplaceAllString(jobFolder(b, string(out)), "0x0") }
	if got.End != want.End || got.Code != want.Code || text(warm, got.Stdout) != text(fresh, want.Stdout) || text(warm, got.Stderr) != text(fresh, want.Stderr) {
		t.Errorf("%s %d\n%q\n%q\nfresh: %s %d\n%q\n%q", got.End, got.Code, got.Stdout, got.Stderr, want.End, want.Code, want.Stdout, want.Stderr)
	}
	return string(got.Stdout)
}

// jobFolder replaces the names of jobs' folders in a text.
func jobFolder(b *Box, text string) string {
	for {
		before, after, found := strings.Cut(text, b.dir+"/job-")
		if !found {
			return text
		}
		text = before + "/JOB" + strings.TrimLeft(after, "0123456789")
	}
}

// A launched box runs programs of a job by a fork of a zygote, whose confinement they keep.
type launched struct{ *Box }

// launch starts the program that its arguments name.
const launch = "import os, sys; os.execv(sys.argv[1], sys.argv[1:])"

// Run runs a job.
func (l launched) Run(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	if len(l.config.Zygote) > 0 && len(job.Argv) > 0 && bytes.HasPrefix(job.Files[strings.TrimPrefix(job.Argv[0], "./")], []byte("\x7fELF")) {
		job.Argv = slices.Concat(isolated, []string{"-c", launch}, job.Argv)
	}
	return l.Box.Run(ctx, job)
}

// Without -I the seed of hashes holds: a zygote has seed 0, and jobs with another start fresh.
func TestZygoteWithSeed(t *testing.T) {
	flags := []string{"python3", "-s", "-P", "-S", "-B"}
	fresh, warm := zygoteBox(t, nil), zygoteBox(t, flags)
	if warm == nil {
		return
	}
	outputs := map[string]bool{}
	for seed := range uint64(2) {
		const program = "import sys, os; print(hash('abc'), {'a', 'b', 'c', 'd'}, sys.flags, sys.path, dict(os.environ, HOME='', TMPDIR=''))"
		job := sandbox.Job{Argv: slices.Concat(flags, []string{"-c", program}), Seed: seed}
		outputs[same(t, fresh, warm, job)] = true
	}
	if len(outputs) != 2 {
		t.Errorf("two seeds give the same: %v", outputs)
	}
}

// peer looks for its first argument in all that it can find in its memory, where every byte is
// one more, so that it does not find itself.
const peer = `import ctypes, gc, sys
want, more = sys.argv[1].encode(), bytes((n + 1) % 256 for n in range(256))
gc.unfreeze()
pages = {id(o) & -4096 for l in gc.get_objects() for o in [l, *gc.get_referents(l)]}
print(len(pages) > 500 and any(want in ctypes.string_at(p, 4096).translate(more) for p in pages))
`

// A job finds nothing of those before it in the memory that it has of the zygote.
func TestZygoteKeepsNothingOfJobs(t *testing.T) {
	_, warm := pair(t)
	if warm == nil {
		return
	}
	run := func(source string, args ...string) string {
		got, err := warm.Run(t.Context(), sandbox.Job{Argv: slices.Concat(isolated, []string{"-c", source}, args)})
		if err != nil || got.End != sandbox.Exited || got.Code != 0 {
			t.Fatalf("%+v, error %v", got, err)
		}
		return string(got.Stdout)
	}
	own := "import sys; keep = bytes(n - 1 for n in sys.argv[1].encode())\n"
	if got := run(own+peer, "tfdsfu!pg!uijt!kpc"); got != "True\n" {
		t.Errorf("a job does not find its own: %q", got)
	}
	for n := range later {
		run("pass # secret of other job", strings.Repeat("secret of other job ", n))
		if got := run(peer, "tfdsfu!pg!puifs!kpc"); got != "False\n" {
			t.Errorf("a job finds what was another's: %q", got)
		}
	}
}

// The jobs of a zygote that is killed are lost, which is no fault of theirs, and the next has another zygote.
func TestZygoteIsReplaced(t *testing.T) {
	_, b := pair(t)
	if b == nil {
		return
	}
	f, pid, err := b.fork()
	if err != nil {
		t.Fatal(err)
	}
	one, _ := readProcess(pid)
	ended := make(chan error, 1)
	go func() {
		got, err := b.Run(t.Context(), sandbox.Job{Argv: slices.Concat(isolated, []string{"-c", "import time; open('here', 'w'); time.sleep(1000)"})})
		t.Logf("%+v", got)
		ended <- err
	}()
	until(t, "a job runs", func() bool { found, _ := filepath.Glob(b.dir + "/job-*/here"); return len(found) > 0 })
	if err := unix.Kill(one.Parent, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "lost") {
		t.Errorf("error %v", err)
	}
	f.close()
	if got, err := b.Run(t.Context(), sandbox.Job{Argv: slices.Concat(isolated, []string{"-c", "print(1)"})}); err != nil || string(got.Stdout) != "1\n" {
		t.Errorf("%+v, error %v", got, err)
	}
}

// A zygote, or its next fork, whose priority or processors somebody changes is replaced, and its jobs go on.
func TestZygoteWhoseStandingIsChangedIsReplaced(t *testing.T) {
	_, b := pair(t)
	if b == nil {
		return
	}
	standing := sandbox.Job{Argv: slices.Concat(isolated, []string{"-c", "import os; print(os.nice(0), os.sched_getaffinity(0), os.sched_getscheduler(0))"})}
	before, err := b.Run(t.Context(), standing)
	if err != nil {
		t.Fatal(err)
	}
	for why, change := range map[string]func(pid int) error{
		"its priority":   func(pid int) error { return unix.Setpriority(unix.PRIO_PROCESS, pid, 19) },
		"its processors": func(pid int) error { return unix.SchedSetaffinity(pid, &unix.CPUSet{1}) },
		"its scheduler": func(pid int) error {
			return unix.SchedSetAttr(pid, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
		},
	} {
		f, pid, err := b.fork()
		if err != nil {
			t.Fatal(err)
		}
		parent, read := readProcess(pid) // before it ends
		f.close()
		if !read {
			t.Fatal("the fork is not there")
		}
		old := b.zygotes.all[0]
		long := make(chan error, 1)
		go func() {
			got, err := b.Run(t.Context(), sandbox.Job{Argv: slices.Concat(isolated, []string{"-c", "open('here', 'w'); input()"}), Stdin: []byte("x"), Limits: sandbox.Limits{Idle: time.Second}})
			if err == nil && got.End != sandbox.Exited {
				err = fmt.Errorf("%+v", got)
			}
			long <- err
		}()
		if err := change(parent.Parent); err != nil {
			t.Fatal(err)
		}
		if err := <-long; err != nil {
			t.Errorf("%s: a job of the old zygote: %v", why, err)
		}
		for range 3 {
			if got, err := b.Run(t.Context(), standing); err != nil || string(got.Stdout) != string(before.Stdout) {
				t.Errorf("%s: %q, error %v, want %q", why, got.Stdout, err, before.Stdout)
			}
		}
		if old == b.zygotes.all[0] && string(before.Stdout) != "" && why != "its processors" { // there may be one processor
			t.Errorf("%s: the zygote stays", why)
		}
		until(t, "the old zygote ends", func() bool {
			select {
			case <-old.lost:
				return true
			default:
				return old == b.zygotes.all[0]
			}
		})
	}
}

// An interpreter that cannot be a zygote is refused, and one that cannot start tells why.
func TestZygoteFailsToStart(t *testing.T) {
	if zygoteBox(t, isolated) == nil {
		return
	}
	for _, c := range []struct{ argv, want string }{
		{"python3", "-I"}, {"python3 -s -S", "-I"}, {"python3 -I -i", `"-i"`}, {"python3 -I -c pass", `"-c"`},
		{"no-such-python -I", sandbox.ErrNoProgram.Error()}, {"/bin/false -I", "status 0x100"},
	} {
		dir := t.TempDir()
		passable(t, dir)
		b, err := New(Config{Dir: dir, Zygote: strings.Fields(c.argv)})
		if err == nil {
			t.Errorf("%s: no error, %v", c.argv, b.Close())
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.argv, err, c.want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %v are left", c.argv, left)
		}
	}
}

// Whatever a zygote says, its reader goes on or ends it: it neither panics nor waits.
func FuzzReports(f *testing.F) {
	f.Add([]byte("e\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00n\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), true)
	f.Add(bytes.Repeat([]byte("s\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), 9), false)
	f.Fuzz(func(t *testing.T, packets []byte, one bool) {
		z := &zygote{answers: make(chan answer, 1), forks: map[int]*fork{}}
		if one {
			z.forks[2] = &fork{job: -1, pidfd: -1, reports: make(chan report, 4)}
		}
		for packet := range slices.Chunk(packets, reportSize) {
			if err := z.take(packet, nil); err != nil {
				return
			}
		}
		for pid, f := range z.forks {
			if len(f.reports) > cap(f.reports) || pid <= 0 {
				t.Errorf("process %d has %d reports", pid, len(f.reports))
			}
		}
	})
}
