package codegrade

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
)

// grader returns a grader over the sandbox of this machine, which keeps Python warm. It is nil on a machine below the
// floor, which must not make any verdict.
func grader(t testing.TB) *Grader {
	t.Helper()
	return graderIn(t, native.Config{Zygote: Python()})
}

// graderIn is grader with a sandbox of its own.
func graderIn(t testing.TB, config native.Config) *Grader {
	t.Helper()
	box, err := native.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	g := &Grader{Sandbox: box}
	if strength, err := box.Probe(t.Context()); err == nil && len(strength.Lacks) == 0 {
		return g
	}
	tests := Tests{Language: "python", Kind: Stdin, Cases: []Case{{}}}
	if _, err := g.Grade(t.Context(), tests, "pass"); !errors.Is(err, sandbox.ErrWeak) {
		t.Errorf("a machine below the floor judges: error %v", err)
	}
	return nil
}

func TestVerdicts(t *testing.T) {
	g := grader(t)
	sum := Tests{Language: "python", Kind: Stdin, Cases: []Case{{Input: "1 2\n", Output: "3\n"}, {Input: "5 6\n", Output: "11"}}}
	add := Tests{Language: "python", Kind: Call, Function: "add", Cases: []Case{{Input: "[1, 2]", Output: "3"}, {Input: `["a","b"]`, Output: `"ab"`}}}
	with := Tests{Language: "python", Kind: Call, Function: "gcd", Prelude: "from functools import *\nfrom math import *\ngcd_of = gcd", Cases: []Case{{Input: "[4, 6]", Output: "2"}}}
	for _, c := range []struct {
		why   string
		tests Tests
		code  string
		want  Reason
	}{
		{"a sum", sum, "print(sum(map(int, input().split())))", ""},
		{"wrong", sum, "print(3)", WrongAnswer},
		{"no syntax", sum, "print(", CompileError},
		{"no indentation", sum, "if 1:\nprint(3)", CompileError},
		{"an exception", sum, "1/0", RuntimeError},
		{"a syntax error at run time", sum, "exec('print(')", RuntimeError},
		{"memory", sum, "x = bytearray(4 << 30)", MemoryLimit},
		{"empty", sum, " \n", NoCode},
		{"a function", add, "def add(a, b): return a + b", ""},
		{"a method", add, "class Solution:\n def add(self, a, b): return a + b", ""},
		{"a wrong function", add, "def add(a, b): return a", WrongAnswer},
		{"another function", add, "def sub(a, b): return a", RuntimeError},
		{"no syntax", add, "def", CompileError},
		{"a prelude", with, "def gcd(a, b): return reduce(lambda x, y: abs(gcd_of(x, y)), [a, b])", ""},
		{"the prelude has the function", with, "import sys", RuntimeError},
		{"a program that asks for what is to come", with, "from __future__ import annotations\ndef gcd(a: List, b) -> Nothing: return gcd_of(a, b)", ""},
		{"it exits", add, "def add(a, b): exit(0)", RuntimeError},
	} {
		if g == nil {
			break
		}
		got, err := g.Grade(t.Context(), c.tests, c.code)
		if err != nil || got.Reason != c.want || (got.Score == 1) != (c.want == "") {
			t.Errorf("%s: %+v, error %v, want %q", c.why, got, err, c.want)
		}
	}
}

func TestOutcomesOfPublicCasesShowOutputs(t *testing.T) {
	g := grader(t)
	cases := []Case{{Input: "[[3, 1]]", Output: "[1, 3]", Public: true}, {Input: "[[2, 1]]", Output: "[1, 2]"}}
	for _, c := range []struct {
		tests Tests
		code  string
		want  string
	}{
		{Tests{Kind: Call, Function: "f", Cases: cases}, "def f(x): return tuple(sorted(x))", "[1,3]"},
		{Tests{Kind: Stdin, Cases: cases}, "print(sorted(eval(input())[0]))", "[1, 3]\n"},
	} {
		if g == nil {
			break
		}
		c.tests.Language = "python"
		got, err := g.Grade(t.Context(), c.tests, c.code)
		if err != nil || got.Score != 1 || got.Outcomes[0].Output != c.want || got.Outcomes[1].Output != "" || got.Outcomes[0].CPU <= 0 {
			t.Errorf("%s: %+v, error %v", c.tests.Kind, got, err)
		}
	}
}

func TestAssertsOfCasesAreJudgedOneByOne(t *testing.T) {
	g := grader(t)
	tests := Tests{
		Language: "python", Kind: Asserts, Scoring: Share, Prelude: "import math",
		Asserts: "two = f(2)", Cases: []Case{{Input: "assert two == 4"}, {Input: "assert f(3) == 9"}, {Input: "assert f(4) == 16"}, {Input: "assert math.isclose(f(5), 25)"}},
	}
	if g == nil {
		return
	}
	got, err := g.Grade(t.Context(), tests, "def f(x): return 10 if x == 4 else x * x")
	if err != nil || got.Score != 0.75 || got.Passed != 3 || got.Reason != WrongAnswer {
		t.Errorf("%+v, error %v", got, err)
	}
}

// A program that waits in any way has taken too long, whatever else runs on the machine. It runs once, and
// never alone: it holds up nobody longer than one that computes.
func TestAProgramThatSleepsHasFailed(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	box := &counted{Sandbox: g.Sandbox}
	g.Sandbox = box
	for n, code := range []string{
		"import time\ntime.sleep(1000)",
		"import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)",
		"import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\nsum(range(100000))",
		"import time\nwhile True: time.sleep(0.01)",
		"import threading, time\nwhile True:\n t = threading.Thread(target=time.sleep, args=(0.03,))\n t.start()\n t.join()",
		"import os, select\nselect.select([os.pipe()[0]], [], [])",
	} {
		tests := Tests{Language: "python", Kind: Stdin, Cases: []Case{{Input: strings.Repeat("1\n", 1<<17)}}, Limits: sandbox.Limits{CPU: 300 * time.Millisecond, Wall: time.Hour}}
		got, err := g.Grade(t.Context(), tests, code)
		if err != nil || got.Reason != TimeLimit || box.runs != n+1 {
			t.Errorf("%q: %+v after %d runs, error %v", code, got, box.runs-n, err)
		}
	}
}

// A counted sandbox counts its jobs.
type counted struct {
	sandbox.Sandbox
	runs int
}

// Run implements [sandbox.Sandbox].
func (c *counted) Run(ctx context.Context, job sandbox.Job) (sandbox.Result, error) {
	c.runs++
	return c.Sandbox.Run(ctx, job)
}
