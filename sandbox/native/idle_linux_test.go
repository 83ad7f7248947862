//go:build amd64 || arm64

package native

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// exitCall is the number of the call that ends a thread.
var exitCall = strconv.Itoa(unix.SYS_EXIT)

// TestIdleTimeIsSleep runs programs that sleep and programs that do not, fresh and from a zygote.
func TestIdleTimeIsSleep(t *testing.T) {
	dir := t.TempDir()
	passable(t, dir)
	b := openWith(t, Config{Dir: dir, Zygote: here(isolated)})
	if len(b.strength.Lacks) > 0 || len(b.config.Zygote) == 0 {
		t.Logf("no job of Python runs here: %+v", b.strength)
		return
	}
	if _, known := scheduled("/proc/self"); !known {
		t.Log("this kernel does not count the time of threads")
		return
	}
	var all sync.WaitGroup
	for _, c := range []struct {
		why, code string
		processes int
		sleeps    bool
	}{
		{"it sleeps", "import time\ntime.sleep(60)", 1, true},
		{"it sleeps, in a process that was not forked from the zygote", "import time\ntime.sleep(60)", 2, true},
		{"it waits for input", "import threading\nthreading.Event().wait()", 1, true},
		{"it polls", "import time\nwhile True: time.sleep(0.02)", 1, true},
		{"it stops itself", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)", 1, true},
		{"it stops a thread, and with it all", "import threading, signal, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nsignal.raise_signal(signal.SIGTSTP)\nsignal.pthread_kill(threading.get_ident(), signal.SIGSTOP)", 1, true},
		{"it reads none of its input", "import time\ntime.sleep(60)", 1, true},
		{"threads that come and go", "import threading, time\nwhile True:\n  t = threading.Thread(target=time.sleep, args=(0.02,))\n  t.start()\n  t.join()", 1, true},
		{"its first thread ends", "import ctypes, threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nctypes.CDLL(None).syscall(" + exitCall + ", 0)", 1, true},
		{"processes that come and go", "import os\nwhile True: os.system('sleep 0.02')", 5, true},
		{"threads that work, and come and go", "import threading\nwhile True:\n  t = threading.Thread(target=sum, args=(range(100000),))\n  t.start()\n  t.join()", 1, false},
		{"a busy loop", "while True: pass", 1, false},
		{"threads that sleep", "import threading, time\nfor _ in range(4): threading.Thread(target=time.sleep, args=(60,)).start()", 1, true},
		{"one of two threads sleeps", "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nwhile True: pass", 1, false},
		{"the main thread waits for another", "import threading\ndef f():\n  while True: pass\nt = threading.Thread(target=f)\nt.start()\nt.join()", 1, false},
	} {
		if c.processes > 1 && !b.strength.Holds(LayerPIDSpace) {
			continue
		}
		limits, end := sandbox.Limits{CPU: 30 * time.Second, Wall: time.Hour, Idle: 500 * time.Millisecond, Processes: c.processes}, sandbox.WallLimit
		if !c.sleeps {
			limits, end = sandbox.Limits{CPU: 100 * time.Millisecond, Wall: time.Hour, Processes: c.processes}, sandbox.CPULimit
		}
		if strings.Contains(c.why, "stops") { // it ends at once
			limits.Idle = time.Hour
		}
		var input []byte
		if strings.Contains(c.why, "input") {
			input = make([]byte, 1<<20)
		}
		all.Go(func() {
			got, err := b.Run(t.Context(), sandbox.Job{Argv: slices.Concat(isolated, []string{"-c", c.code}), Limits: limits, Stdin: input})
			if err != nil || got.End != end || !c.sleeps && got.Idle > got.CPU/2 || got.Idle > got.Wall-got.CPU && !strings.Contains(c.why, "stops") {
				t.Errorf("%s: idle for %v, %v on the processor, %v in all, ended by %s, error %v", c.why, got.Idle, got.CPU, got.Wall, got.End, err)
			}
		})
	}
	all.Wait()
}
