//go:build heavy

package codegrade

import (
	"context"
	"flag"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
)

var (
	many = flag.Int64("many", 100, "judgements of TestManyVerdictsUnderLoad")
	busy = flag.Int("busy", 10, "programs that are busy meanwhile, for each processor")
)

// A loaded is a program with what is said of it.
type loaded struct {
	tests Tests
	code  string
	want  Reason
}

// mixture returns programs that end soon, and some that come close to their limits. On a busy machine
// the latter run a second time, while no other runs.
func mixture() (quick, slow []loaded) {
	limits := sandbox.Limits{CPU: 500 * time.Millisecond, Memory: 64 << 20}
	stdin := Tests{Language: "python", Kind: Stdin, Limits: limits, Cases: []Case{{Input: "1", Output: "11"}, {Input: "2", Output: "22"}, {Input: "3", Output: "33"}}}
	call := Tests{Language: "python", Kind: Call, Function: "f", Limits: limits, Cases: []Case{{Input: "[1]", Output: "1"}, {Input: "[3]", Output: "9"}}}
	asserts := Tests{Language: "python", Kind: Asserts, Asserts: "assert f(3) == 9", Limits: limits}
	quick = []loaded{
		{stdin, "print(input() * 2)", ""},
		{stdin, "n = input()\nprint(n * 2 if n < '3' else 0)", WrongAnswer},
		{stdin, "import sys\nn = input()\nif n > '1': sys.exit(1)\nprint(n * 2)", RuntimeError},
		{stdin, "print(input( * 2)", CompileError},
		{call, "def f(x): return x * x", ""},
		{call, "class Solution:\n  def f(self, x): return x", WrongAnswer},
		{asserts, "def f(x): return x * x", ""},
		{asserts, "def f(x): return x + x", WrongAnswer},
	}
	slow = []loaded{
		{stdin, "import time\nwhile time.process_time() < 0.25: pass\nprint(input() * 2)", ""},
		{stdin, "while True: pass", TimeLimit},
		{stdin, "x = []\nwhile True: x.append(bytearray(1 << 20))", MemoryLimit},
		{stdin, "while True: print('x' * 10000)", OutputLimit},
	}
	return quick, slow
}

// slowShare is how many judgements there are to one of a slow program.
const slowShare = 20

// TestManyVerdictsUnderLoad judges ten programs for each processor at the same time, by a zygote as a server
// does, while others are busy. A busy machine is an error at worst.
func TestManyVerdictsUnderLoad(t *testing.T) {
	if grader(t) == nil {
		return
	}
	box, err := native.New(native.Config{Zygote: Python()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	}()
	g := &Grader{Sandbox: box, Jobs: 10 * runtime.NumCPU()}
	defer burden(t, g)()
	quick, slow := mixture()
	var next, overloaded atomic.Int64
	var group sync.WaitGroup
	for range g.Jobs {
		group.Go(func() {
			for n := next.Add(1) - 1; n < *many; n = next.Add(1) - 1 {
				one := quick[n%int64(len(quick))]
				if n%slowShare == 0 {
					one = slow[n/slowShare%int64(len(slow))]
				}
				got, err := g.Grade(t.Context(), one.tests, one.code)
				if err != nil {
					overloaded.Add(1)
				} else if got.Reason != one.want {
					t.Errorf("%.80q: %+v, want %q", one.code, got, one.want)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d of %d judgements were given up", overloaded.Load(), *many)
}

// burden keeps programs busy until free is called.
func burden(t *testing.T, g *Grader) (free func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range *busy * runtime.NumCPU() {
		group.Go(func() {
			loop := sandbox.Job{Argv: []string{"python3", "-c", "while True: pass"}, Limits: sandbox.Limits{CPU: time.Hour}}
			_, _ = g.Sandbox.Run(ctx, loop)
		})
	}
	return func() { cancel(); group.Wait() }
}
