package codegrade

import (
	"errors"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

// unitFile is a file of tests for unittest.
const unitFile = `
import unittest
from solution import half

class Halves(unittest.TestCase):
    def test_even(self):
        self.assertEqual(half(4), 2)

    def test_odd(self):
        with self.assertRaises(ValueError):
            half(3)

    def test_many(self):
        for n in range(0, 10, 2):
            with self.subTest(n=n):
                self.assertEqual(half(n) + half(n), n)

    @unittest.skip("not yet")
    def test_later(self):
        self.fail()
`

// pytestFile is a file of tests for pytest.
const pytestFile = `
import pytest, solution

@pytest.fixture
def four():
    return 4

def test_even(four, tmp_path):
    assert solution.half(four) == 2

@pytest.mark.parametrize("n", [0, 2, 10])
def test_many(n):
    assert half(n) * 2 == n

def test_odd():
    with pytest.raises(ValueError, match="odd"):
        solution.half(3)

@pytest.mark.skip
def test_later():
    assert False

@pytest.mark.xfail
def test_never():
    assert solution.half(2) == 7
`

// kinds are those of files of unit tests whose tool the machine has.
func kinds(t *testing.T, g *Grader) []Kind {
	t.Helper()
	if _, missing := judgeUnits(t, g, Tests{Kind: Pytest, Asserts: "def test(): pass"}, "pass"); missing {
		return []Kind{Unittest}
	}
	return []Kind{Unittest, Pytest}
}

// judgeUnits judges a program by a file of unit tests. Missing reports that the machine lacks their tool.
func judgeUnits(t *testing.T, g *Grader, tests Tests, code string) (v Verdict, missing bool) {
	t.Helper()
	tests.Language = "python"
	v, err := g.Grade(t.Context(), tests, code)
	if missing = tests.Kind == Pytest && errors.Is(err, sandbox.ErrNoProgram); missing {
		return v, true
	}
	if err != nil {
		t.Errorf("%s, %q: error %v", tests.Kind, code, err)
	}
	return v, false
}

func TestUnitTests(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	files, here := map[Kind]string{Unittest: unitFile, Pytest: pytestFile}, kinds(t, g)
	const right = "def half(n):\n  if n % 2: raise ValueError('odd')\n  return n // 2"
	for _, c := range []struct {
		why, code string
		want      Reason
	}{
		{"right", right, ""},
		{"right, a method", "class Solution:\n  def half(self, n):\n    if n % 2: raise ValueError('odd')\n    return n // 2", ""},
		{"wrong", "def half(n): return 2", WrongAnswer},
		{"it raises nothing", "def half(n): return n // 2", WrongAnswer},
		{"it raises another error", "def half(n):\n  if n % 2: raise KeyError('odd')\n  return n // 2", RuntimeError},
		{"it raises where it should not", "def half(n): raise ValueError('odd')", RuntimeError},
		{"no syntax", "def half(", CompileError},
		{"it exits", "import os\ndef half(n): os._exit(0)", RuntimeError},
		{"it skips tests", "import unittest\ndef half(n): raise unittest.SkipTest", RuntimeError},
		{"it forges a report", "open('junit.xml', 'w').write('<testsuite tests=\"4\" failures=\"0\"/>')\ndef half(n): return 0", WrongAnswer},
		{"it brings files of pytest", "open('conftest.py', 'w').write('import os; os._exit(0)')\nopen('test_solution.py', 'w').write('')\ndef half(n): return 0", WrongAnswer},
		{"it replaces the runner", "import unittest\nunittest.TestCase.run = lambda *a: None\nunittest.TestResult.wasSuccessful = lambda s: True\ndef half(n): return 0", WrongAnswer},
		{"it ends well, late", "import atexit, os\natexit.register(os._exit, 0)\ndef half(n): return 0", WrongAnswer},
	} {
		for _, kind := range here {
			got, _ := judgeUnits(t, g, Tests{Kind: kind, Asserts: files[kind]}, c.code)
			if got.Reason != c.want || got.Total != 1 || (got.Score == 1) != (c.want == "") {
				t.Errorf("%s, %s: %+v, want %q", kind, c.why, got, c.want)
			}
		}
	}
}

// Functions in place of classes need no pytest.
func TestFunctionsAsUnitTests(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	const source = "from solution import half\ndef test_even():\n  assert half(4) == 2\ndef test_odd():\n  try: half(3)\n  except ValueError: return\n  assert False\ndef test_helper(n): assert False\n"
	for code, want := range map[string]Reason{
		"def half(n):\n  if n % 2: raise ValueError\n  return n // 2": "", "def half(n): return n // 2": WrongAnswer, "def half(n): return 1": WrongAnswer, "import os\ndef half(n): os._exit(0)": RuntimeError, "x = 1": RuntimeError,
	} {
		if got, _ := judgeUnits(t, g, Tests{Kind: Unittest, Asserts: source}, code); got.Reason != want {
			t.Errorf("%q: %+v, want %q", code, got, want)
		}
	}
}

// TestSharedUnitTests has tests that need an object of the program. Programs that end the process, skip
// tests or leave some out do not pass.
func TestSharedUnitTests(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	files := map[Kind]string{
		Unittest: "import unittest\nfrom pile import Pile\nclass Piles(unittest.TestCase):\n  def test_push(self):\n    p = Pile()\n    p.push(1)\n    self.assertEqual(p.items, [1])\n  def test_empty(self):\n    self.assertEqual(Pile().items, [])",
		Pytest:   "from pile import Pile\ndef test_push():\n  p = Pile()\n  p.push(1)\n  assert p.items == [1]\ndef test_empty():\n  assert Pile().items == []",
	}
	here := kinds(t, g)
	const pile = "class Pile:\n  def __init__(self): self.items = []\n  def push(self, x): self.items.append(x)\n"
	for _, c := range []struct {
		why, code string
		want      Reason
	}{
		{"right", pile, ""},
		{"wrong", "class Pile:\n  items = []\n  def push(self, x): pass", WrongAnswer},
		{"it exits", pile + "import os\nos._exit(0)", RuntimeError},
		{"it exits in a test", "import os\nclass Pile:\n  def __init__(self): os._exit(0)", RuntimeError},
		{"it skips tests", "import unittest\nclass Pile:\n  def __init__(self): raise unittest.SkipTest", WrongAnswer},
		{"it leaves tests out", "import unittest\nunittest.defaultTestLoader.loadTestsFromModule = lambda m: unittest.TestSuite()\nimport sys\nsys.modules['pytest'] = 1", RuntimeError},
	} {
		for _, kind := range here {
			got, _ := judgeUnits(t, g, Tests{Kind: kind, Asserts: files[kind], Shared: true, Module: "pile"}, c.code)
			if got.Reason != c.want || (got.Score == 1) != (c.want == "") {
				t.Errorf("%s, %s: %+v, want %q", kind, c.why, got, c.want)
			}
		}
	}
}

func TestUnitTestsThatCannotRunAreNoVerdict(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	for why, source := range map[string]string{
		"no syntax":        "import unittest\nclass T(unittest.TestCase",
		"no test":          "import unittest\nx = 1",
		"a missing module": "import no_such_module\nimport unittest\nclass T(unittest.TestCase):\n  def test(self): pass",
	} {
		for _, kind := range []Kind{Unittest, Pytest} {
			got, err := g.Grade(t.Context(), Tests{Language: "python", Kind: kind, Asserts: source}, "def f(x): return 1")
			if !errors.Is(err, ErrTests) && (kind == Unittest || !errors.Is(err, sandbox.ErrNoProgram)) {
				t.Errorf("%s, %s: %+v, error %v", kind, why, got, err)
			}
		}
	}
}

func TestAMissingToolIsNoVerdict(t *testing.T) {
	f := &fake{do: func(int, sandbox.Job) (sandbox.Result, error) {
		return sandbox.Result{End: sandbox.Exited, Fetched: map[string][]byte{resultFile: []byte(`{"missing":"pytest","broken":"NoTool: pytest"}`)}}, nil
	}}
	got, err := (&Grader{Sandbox: f}).Grade(t.Context(), Tests{Language: "python", Kind: Pytest, Asserts: "def test(): pass"}, "x")
	if !errors.Is(err, sandbox.ErrNoProgram) || !strings.Contains(err.Error(), "pytest") || got.Digest != "" {
		t.Errorf("%+v, error %v", got, err)
	}
}
