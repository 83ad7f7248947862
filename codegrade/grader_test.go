package codegrade

import (
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
)

// grader returns a grader over the sandbox of this machine. It is nil on a machine below the floor,
// which must not make any verdict.
func grader(t testing.TB) *Grader {
	t.Helper()
	box, err := native.New(native.Config{})
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
