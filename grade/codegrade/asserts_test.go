package codegrade

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// patient limits let a program finish on a busy machine: the processor ends what does not end itself, not the clock.
var patient = sandbox.Limits{Wall: 10 * time.Minute}

func TestAsserts(t *testing.T) {
	g := grader(t)
	const check = "def check(candidate):\n    assert candidate(3) == 9\n    assert candidate(x=4) == 16\ncheck(f)\n"
	for _, c := range []struct {
		why, tests, code string
		want             Reason
	}{
		{"right", check, "def f(x): return x * x", ""},
		{"wrong", check, "def f(x): return 9", WrongAnswer},
		{"no syntax", check, "def f(x", CompileError},
		{"no function", check, "def g(x): return x * x", RuntimeError},
		{"an exception", check, "def f(x): raise KeyError(x)", RuntimeError},
		{"an object that equals all", check, "class A:\n  def __eq__(s, o): return True\ndef f(x): return A()", WrongAnswer},
		{"it exits", check, "import os\ndef f(x): os._exit(0)", RuntimeError},
		{"tuples stay tuples", "assert f((1, 2)) == (2, 1)", "def f(p): return p[::-1]", ""},
		{"a list is no tuple", "assert f((1, 2)) == (2, 1)", "def f(p): return [2, 1]", WrongAnswer},
		{"sets, dictionaries, bytes, floats", "import math\nassert f({1}, {'a': b'\\xff'}, math.inf) == [{1}, {'a': b'\\xff'}, math.inf, frozenset()]",
			"def f(*a): return [*a, frozenset()]", ""},
		{"complex numbers", "import cmath\nassert f(1 + 2j, [3j]) == (2 - 2j, {'a': -0.5j})\nassert cmath.isnan(f(complex('nan'), [])[0])",
			"def f(z, more): return (2 * z.conjugate() + 2j if more else z, {'a': more[0] / -6} if more else 0)", ""},
		{"a wrong complex number", "assert f(1j) == -1", "def f(z): return -1 + 1j", WrongAnswer},
		{"a result leads to a call", "x = f(2)\nfor i in range(3):\n    x = f(x)\nassert x == 2 ** 16", "def f(x): return x * x", ""},
		{"it is given a result", "assert f(f(2)) == 16", "def f(x): return x * x", ""},
		{"two functions", "assert decode(encode('ab')) == 'ab'", "def encode(s): return s[::-1]\ndef decode(s): return s[::-1]", ""},
		{"a method", check, "class Solution:\n  def f(self, x): return x * x", ""},
		{"an expected exception", "try:\n    f(-1)\nexcept ValueError as e:\n    assert str(e) == 'no'\nelse:\n    assert False", "def f(x): raise ValueError('no')", ""},
		{"no exception", "try:\n    f(-1)\nexcept ValueError:\n    pass\nelse:\n    assert False", "def f(x): return 1", WrongAnswer},
		{"a state", "assert [f(), f(), f()] == [1, 2, 3]", "n = 0\ndef f():\n  global n\n  n += 1\n  return n", ""},
		{"chance in the tests", "import random\nfor _ in range(5):\n    x = random.random()\n    assert abs(f(x) - x / 2) < 1e-9", "def f(x): return x / 2", ""},
		{"a generator is no plain value", "assert list(f(2)) == [0, 1]", "def f(n): yield from range(n)", WrongAnswer},
		{"nothing is asked", "assert True", "x = 1", ""},
		{"nothing is asked of a broken program", "assert True", "1/0", RuntimeError},
	} {
		if g == nil {
			break
		}
		got, err := g.Grade(t.Context(), Tests{Language: "python", Kind: Asserts, Asserts: c.tests, Limits: patient}, c.code)
		if err != nil || got.Reason != c.want || (got.Score == 1) != (c.want == "") {
			t.Errorf("%s: %+v, error %v, want %q", c.why, got, err, c.want)
		}
	}
}

// Tests that need objects of the program's own classes say what to do, as a failure of the program or of the tests.
func TestTestsThatNeedObjectsNameTheRemedy(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	const pair = "class Pair:\n  def __init__(self, a, b): self.a, self.b = a, b\ndef longest(pairs): return len(pairs)\n"
	tests := Tests{Language: "python", Kind: Asserts, Asserts: "assert longest([Pair(5, 24), Pair(15, 25)]) == 2", Limits: patient}
	got, err := g.Grade(t.Context(), tests, pair)
	if err != nil || got.Reason != WrongAnswer || !strings.Contains(got.Outcomes[0].Error, `a value is a Pair: tests that share objects with the program need "shared": true`) {
		t.Errorf("%+v, error %v", got, err)
	}
	tests.Shared = true
	if got, err := g.Grade(t.Context(), tests, pair); err != nil || got.Score != 1 {
		t.Errorf("shared: %+v, error %v", got, err)
	}
	tests = Tests{Language: "python", Kind: Asserts, Asserts: "class Own: pass\nassert longest(Own()) == 2", Limits: patient}
	if got, err := g.Grade(t.Context(), tests, pair); !errors.Is(err, ErrTests) || !strings.Contains(err.Error(), `need "shared": true`) {
		t.Errorf("%+v, error %v", got, err)
	}
}

// TestAPreludeIsNotTheProgramsToGive judges a program that replaces a function by which it is tested.
func TestAPreludeIsNotTheProgramsToGive(t *testing.T) {
	g := grader(t)
	tests := Tests{
		Language: "python", Kind: Asserts, Function: "root",
		Prelude: "def square(x):\n    return x * x\n\ndef root(x):\n    \"\"\"Returns the root.\"\"\"\n",
		Asserts: "assert square(root(9)) == 9",
	}
	for code, want := range map[string]Reason{"    return 3": "", "def root(x): return -3": "", "    return 1\ndef square(x): return 9": WrongAnswer} {
		if g == nil {
			break
		}
		if got, err := g.Grade(t.Context(), tests, code); err != nil || got.Reason != want {
			t.Errorf("%q: %+v, error %v, want %q", code, got, err, want)
		}
	}
}

func TestBrokenTestsAreNoVerdict(t *testing.T) {
	g := grader(t)
	for why, source := range map[string]string{
		"no syntax":              "assert f(",
		"a missing module":       "import no_such_module\nassert f(1) == 1",
		"a function as argument": "assert f(lambda: 1) == 1",
		"without end":            "while True: pass",
	} {
		if g == nil {
			break
		}
		got, err := g.Grade(t.Context(), Tests{Language: "python", Kind: Asserts, Asserts: source, Limits: sandbox.Limits{CPU: 300 * time.Millisecond, Wall: patient.Wall}}, "def f(x): return 1")
		if !errors.Is(err, ErrTests) {
			t.Errorf("%s: %+v, error %v", why, got, err)
		}
	}
}

func TestSharedAsserts(t *testing.T) {
	g := grader(t)
	for _, c := range []struct {
		why, code string
		want      Reason
	}{
		{"an object of its own", "class Stack(list):\n  def push(self, x): self.append(x)", ""},
		{"wrong", "class Stack(list):\n  def push(self, x): pass", WrongAnswer},
		{"an exception", "class Stack(list): pass", RuntimeError},
		{"a missing module", "import no_such_module", RuntimeError},
		{"no syntax", "class", CompileError},
		{"it exits", "import os\nos._exit(0)", RuntimeError},
	} {
		if g == nil {
			break
		}
		tests := Tests{Language: "python", Kind: Asserts, Shared: true, Asserts: "s = Stack()\ns.push(1)\nassert s == [1]"}
		got, err := g.Grade(t.Context(), tests, c.code)
		if err != nil || got.Reason != c.want {
			t.Errorf("%s: %+v, error %v, want %q", c.why, got, err, c.want)
		}
	}
}
