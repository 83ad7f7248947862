package sandboxtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// A step is a cell with what comes of it.
type step struct {
	cell   string
	limits sandbox.Limits

	end  sandbox.End // Exited if empty
	code int
	out  string // the whole output; anything: any
	errs string // in the errors; empty: there are none
	over bool   // the session ends
}

// sessions are sequences of cells.
var sessions = map[string][]step{
	"state": {
		{cell: "x = 3"}, {cell: "x + 1", out: "4\n"}, {cell: "def f(n):\n    return n * x\n"}, {cell: "x = 5\nf(2)", out: "10\n"},
		{cell: "_", out: "10\n"}, {cell: "import math"}, {cell: "math.comb(50, 25)", out: "126410606437752\n"}, {cell: "del x"},
		{cell: "x", code: 1, errs: "NameError: name 'x' is not defined"}, {cell: "f", out: anything}, {cell: "__name__", out: "'__main__'\n"},
	},
	"output": {
		{cell: ""}, {cell: "# nothing"}, {cell: "print('a')\n'b'", out: "a\n'b'\n"}, {cell: "None"}, {cell: "print('a', end='')", out: "a"},
		{cell: "for i in range(3): i"}, {cell: "1; 2", out: "2\n"}, {cell: "'ä\\n\\0'", out: "'ä\\n\\x00'\n"},
		{cell: "import sys; print('e', file=sys.stderr)", errs: "e\n"}, {cell: "import os; os.write(1, b'\\xff\\n') and None", out: "\xff\n"},
		{cell: "len('" + strings.Repeat("a", 90<<10) + "')", out: "92160\n"}, {cell: "'" + strings.Repeat("a", sandbox.MaxCell) + "'", end: sandbox.Refused},
		{cell: "'\xff'", end: sandbox.Refused}, {cell: "3", out: "3\n"},
	},
	"errors": {
		{cell: "def f():\n    return 1 / 0\n"}, {cell: "f()", code: 1, errs: "  File \"<cell 2>\", line 1, in <module>\n    f()"},
		{cell: "f()", code: 1, errs: "  File \"<cell 1>\", line 2, in f\n    return 1 / 0\n"}, {cell: "x = = 2", code: 1, errs: "SyntaxError: invalid syntax"},
		{cell: "print(1)\nraise KeyboardInterrupt", out: "1\n", code: 1, errs: "KeyboardInterrupt"}, {cell: "import sys; sys.exit(7)", code: 7},
		{cell: "raise SystemExit", code: 0}, {cell: "raise SystemExit('text')", code: 1, errs: "text\n"}, {cell: "input()", code: 1, errs: "EOFError"},
		{cell: "def f(n): return f(n + 1)\nf(0)", code: 1, errs: "RecursionError"}, {cell: "4", out: "4\n"},
	},
	"limits": {
		{cell: "x = 1"}, {cell: "while True: pass", limits: sandbox.Limits{CPU: 200 * time.Millisecond}, end: sandbox.CPULimit, errs: "KeyboardInterrupt"},
		{cell: "import os; os.kill(os.getpid(), 19)", limits: sandbox.Limits{Wall: time.Second}, end: sandbox.WallLimit, errs: "KeyboardInterrupt"},
		{cell: "x", out: "1\n"}, {cell: "import time; print(2); time.sleep(1000)", limits: sandbox.Limits{Wall: time.Second}, end: sandbox.WallLimit, out: "2\n", errs: "KeyboardInterrupt"},
		{cell: "x", out: "1\n"}, {cell: "while True: print('aaaa')", limits: sandbox.Limits{Output: 20}, end: sandbox.OutputLimit, out: strings.Repeat("aaaa\n", 4), errs: "Traceback"},
		{cell: "print('a' * 100)", limits: sandbox.Limits{Output: 20}, end: sandbox.OutputLimit, out: strings.Repeat("a", 20)},
		{cell: "x", out: "1\n"}, {cell: "open('big', 'w').write('a' * (20 << 20))", code: 1, errs: "File too large"}, {cell: "x", out: "1\n"},
	},
	"an interrupt that nothing comes of": {
		{cell: "import time"}, {cell: "while True:\n    try: time.sleep(1000)\n    except BaseException: pass", limits: sandbox.Limits{Wall: 100 * time.Millisecond}, end: sandbox.WallLimit, over: true},
	},
	"an interrupt that is ignored": {
		{cell: "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN) and None", out: anything},
		{cell: "time.sleep(1000)", limits: sandbox.Limits{Wall: 100 * time.Millisecond}, end: sandbox.WallLimit, over: true},
	},
	"a long sum":       {{cell: "sum(range(10 ** 13))", limits: sandbox.Limits{CPU: 200 * time.Millisecond}, end: sandbox.CPULimit, over: true}},
	"too much memory":  {{cell: "x = []\nwhile True: x.append(bytearray(1 << 20))", limits: sandbox.Limits{CPU: 20 * time.Second}, end: sandbox.MemoryLimit, over: true}},
	"too many files":   {{cell: "for i in range(3000): open(str(i), 'w')\nwhile True: pass", limits: sandbox.Limits{CPU: 20 * time.Second}, end: sandbox.DiskLimit, over: true}},
	"too many threads": {{cell: "import threading, time\nfor i in range(6): threading.Thread(target=time.sleep, args=(99,)).start()\nwhile True: pass", limits: sandbox.Limits{CPU: 20 * time.Second}, end: sandbox.ProcessLimit, over: true}},
	"an end":           {{cell: "print('a', flush=True); import os; os._exit(5)", code: 5, out: "a\n", over: true}},
	"a signal":         {{cell: "import os; os.kill(os.getpid(), 15)", end: sandbox.Signalled, code: 15, over: true}},
	"another program":  {{cell: "import os; os.execv('/bin/sleep', ['sleep', '99'])", end: sandbox.Signalled, code: 9, over: true}},
	"closed sockets":   {{cell: "import os; os.closerange(3, 99)\nwhile True: pass", end: sandbox.Signalled, code: 9, over: true}},
	"nonsense":         {{cell: "import os; os.write(3, b'nonsense'); x = 1\nwhile True: pass", end: sandbox.Signalled, code: 9, over: true}},
	"a forged status":  {{cell: "import os; os.write(3, b'\\x09\\0\\0\\0')\nwhile True: pass", code: 9}, {cell: "2", limits: sandbox.Limits{CPU: 100 * time.Millisecond}, end: sandbox.CPULimit, out: anything, errs: "KeyboardInterrupt"}},
	"many":             {{cell: "import os\nfor i in range(5): os.write(3, bytes(4))"}, {cell: "1", out: anything}, {cell: "1", out: anything}},
	"a thread that stays": {
		{cell: "import threading\nn = 0\ndef run():\n    global n\n    while True: n += 1\nthreading.Thread(target=run).start()"}, {cell: "n > -1", out: "True\n"},
	},
	"broken streams": {
		{cell: "import sys; sys.stdout = None; sys.stderr = None"}, {cell: "print(1)"}, {cell: "sys.stdout = sys.__stdout__; 5", out: "5\n"},
	},
	"attacks": {
		{cell: "import os, ctypes, socket\ndef no(f, *a):\n    try: f(*a)\n    except (OSError, PermissionError) as e: print('no')\n    else: print('YES', f, a)\n"},
		{cell: "no(open, '/etc/passwd')", out: "no\n"}, {cell: "no(os.listdir, '..')", out: "no\n"}, {cell: "no(open, '/tmp/quintain-evil', 'w')", out: "no\n"},
		{cell: "no(os.fork)", out: "no\n"}, {cell: "no(os.kill, os.getppid(), 9)", out: "no\n"}, {cell: "no(os.kill, os.getppid(), 0)", out: "no\n"}, {cell: "no(socket.socket)", out: "no\n"},
		{cell: "no(open, '/proc/self/mem')", out: "no\n"}, {cell: "no(os.listdir, '/proc')", out: "no\n"},
		{cell: "print(ctypes.CDLL(None).prctl(1, 0), [fd for fd in range(4, 60) if os.path.exists('/dev/fd/%d' % fd)])", out: "-1 []\n"},
	},
}

// Sessions holds the sessions of a back end, as Run holds its jobs. Open is given how long an interrupted
// cell has to end.
func Sessions(t *testing.T, open func(t *testing.T, dir string, grace time.Duration) sandbox.Opener) {
	dir := t.TempDir()
	for _, one := range []string{dir, filepath.Dir(dir), filepath.Join(dir, "patient"), filepath.Join(dir, "hasty")} { // for a user without rights to pass
		if err := errors.Join(os.MkdirAll(one, 0o711), os.Chmod(one, 0o711)); err != nil {
			t.Fatal(err)
		}
	}
	r := &rig{T: t, dir: dir}
	box, hasty := open(t, filepath.Join(dir, "patient"), 5*time.Minute), open(t, filepath.Join(dir, "hasty"), time.Millisecond)
	first, err := box.Open(t.Context(), sandbox.Spec{})
	if errors.Is(err, sandbox.ErrWeak) {
		t.Logf("%v: nothing else is tested", err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	before := r.left()
	for name, steps := range sessions {
		t.Run(name, func(t *testing.T) {
			if slices.ContainsFunc(steps, func(s step) bool { return s.over && (s.end == sandbox.CPULimit || s.end == sandbox.WallLimit) }) {
				r.with(t).session(hasty, steps)
				return
			}
			r.with(t).session(box, steps)
		})
	}
	t.Run("files", func(t *testing.T) { r.with(t).sessionFiles(box) })
	t.Run("cancelled", func(t *testing.T) { r.with(t).sessionCancelled(box) })
	if after := r.left(); after != before {
		t.Errorf("left behind:\n%s\nbefore:\n%s", after, before)
	}
}

// session runs cells.
func (r *rig) session(box sandbox.Opener, steps []step) {
	s := r.open(box, sandbox.Spec{Limits: sandbox.Limits{CPU: 5 * time.Second, Wall: 5 * time.Minute, Memory: 256 << 20, Threads: 4}})
	over := false
	for _, c := range steps {
		got, err := s.Run(r.Context(), c.cell, c.limits)
		if err != nil {
			r.Fatalf("%.99q: the machine is at fault: %v", c.cell, err)
		}
		over = c.over
		end := c.end
		if end == "" {
			end = sandbox.Exited
		}
		fits := (string(got.Stdout) == c.out || c.out == anything) && strings.Contains(string(got.Stderr), c.errs) && (c.errs != "" || len(got.Stderr) == 0 || end != sandbox.Exited)
		if got.End != end || got.Code != c.code || !fits || got.Over != c.over {
			r.Errorf("%.99q: %s %d, over %v, output %.200q, errors %.900q, why %q, CPU %v, wall %v; want %s %d, over %v, %q, %q",
				c.cell, got.End, got.Code, got.Over, got.Stdout, got.Stderr, got.Why, got.CPU, got.Wall, end, c.code, c.over, c.out, c.errs)
			return
		}
	}
	if _, err := s.Run(r.Context(), "1", sandbox.Limits{}); errors.Is(err, sandbox.ErrOver) != over {
		r.Errorf("one cell more: error %v", err)
	}
}

// open opens a session that the test closes.
func (r *rig) open(box sandbox.Opener, spec sandbox.Spec) sandbox.Session {
	r.Helper()
	s, err := box.Open(r.Context(), spec)
	if err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		if err := s.Close(); err != nil {
			r.Error(err)
		}
	})
	return s
}

// sessionFiles are those of one session only, and bad names are refused.
func (r *rig) sessionFiles(box sandbox.Opener) {
	for range 2 {
		s := r.open(box, sandbox.Spec{Files: map[string][]byte{"a/b": []byte("x")}})
		got, err := s.Run(r.Context(), "import os; print(open('a/b').read(), os.listdir('.')); open('c', 'w').close()", sandbox.Limits{})
		if err != nil || string(got.Stdout) != "x ['a']\n" {
			r.Errorf("%+v, error %v", got, err)
		}
	}
	if _, err := box.Open(r.Context(), sandbox.Spec{Files: map[string][]byte{"../b": nil}}); err == nil {
		r.Error("a name with .. is allowed")
	}
	if _, err := box.Open(r.Context(), sandbox.Spec{Limits: sandbox.Limits{CPU: -1}}); err == nil {
		r.Error("an invalid limit is allowed")
	}
}

// sessionCancelled is over, with an error.
func (r *rig) sessionCancelled(box sandbox.Opener) {
	s := r.open(box, sandbox.Spec{})
	ctx, cancel := context.WithTimeout(r.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Run(ctx, "while True: pass", sandbox.Limits{}); !errors.Is(err, context.DeadlineExceeded) {
		r.Errorf("error %v", err)
	}
	if _, err := s.Run(r.Context(), "1", sandbox.Limits{}); !errors.Is(err, sandbox.ErrOver) {
		r.Errorf("a cell of a session that is over: error %v", err)
	}
	if _, err := box.Open(ctx, sandbox.Spec{}); !errors.Is(err, context.DeadlineExceeded) {
		r.Errorf("opened after its end: error %v", err)
	}
}
