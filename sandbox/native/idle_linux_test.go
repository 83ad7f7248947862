//go:build amd64 || arm64

package native

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

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
		{"a busy loop", "while True: pass", 1, false},
		{"threads that sleep", "import threading, time\nfor _ in range(4): threading.Thread(target=time.sleep, args=(60,)).start()", 1, true},
		{"one of two threads sleeps", "import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nwhile True: pass", 1, false},
		{"the main thread waits for another", "import threading\ndef f():\n  while True: pass\nt = threading.Thread(target=f)\nt.start()\nt.join()", 1, false},
	} {
		if c.processes > 1 && !b.strength.Holds(LayerPIDSpace) {
			continue
		}
		limits, end := sandbox.Limits{CPU: 30 * time.Second, Wall: 3 * time.Second, Processes: c.processes}, sandbox.WallLimit
		if !c.sleeps {
			limits, end = sandbox.Limits{CPU: 300 * time.Millisecond, Wall: time.Hour, Processes: c.processes}, sandbox.CPULimit
		}
		all.Go(func() {
			got, err := b.Run(t.Context(), sandbox.Job{Argv: slices.Concat(isolated, []string{"-c", c.code}), Limits: limits})
			if err != nil || got.End != end || (got.Idle > 0) != c.sleeps || got.Idle > got.Wall-got.CPU {
				t.Errorf("%s: idle for %v, %v on the processor, %v in all, ended by %s, error %v", c.why, got.Idle, got.CPU, got.Wall, got.End, err)
			}
		})
	}
	all.Wait()
}
