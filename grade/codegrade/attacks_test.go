package codegrade

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// gold is an output that no attack knows. Each is looking for it, or for a way around it.
const gold = "gold-58143"

// seek is Python that attacks share: it finds gold in any text.
const seek = `
import re, os, sys
def found(text):
    if isinstance(text, bytes): text = text.decode('latin-1')
    m = re.search('gol' + 'd-[0-9]{5}', text)
    if m: win(m.group())
def win(text):
    print(text, flush=True)
    with open('quintain_result.json', 'w') as f:
        f.write('"%s"' % text)
    os._exit(0)
`

// An attack is a program with a function f that shall return gold, or with a main part that shall
// print it. The name says what is tried.
type attack struct{ name, code string }

// attacks are those that end soon, and a busy loop. [endlessAttacks] has those that only a limit ends.
var attacks = []attack{
	{"an object that equals all", "class A:\n  def __eq__(s, o): return True\n  def __hash__(s): return 0\ndef f(x): return A()"},
	{"an object that never differs", "class A:\n  def __ne__(s, o): return False\n  def __eq__(s, o): return True\ndef f(x): return A()"},
	{"a text that equals all", "class A(str):\n  def __eq__(s, o): return True\n  __hash__ = str.__hash__\ndef f(x): return A('x')"},
	{"an int that equals all", "class A(int):\n  def __eq__(s, o): return True\ndef f(x): return A(1)"},
	{"a float that equals all", "class A(float):\n  def __eq__(s, o): return True\ndef f(x): return A(1)"},
	{"a list that equals all", "class A(list):\n  def __eq__(s, o): return True\ndef f(x): return A()"},
	{"a dictionary that equals all", "class A(dict):\n  def __eq__(s, o): return True\ndef f(x): return A()"},
	{"a list of objects that equal all", "class A:\n  def __eq__(s, o): return True\ndef f(x): return [A()]"},
	{"a class that claims to be str", "class A:\n  __class__ = str\n  def __eq__(s, o): return True\ndef f(x): return A()"},
	{"a metaclass that equals str", "class M(type):\n  def __eq__(s, o): return True\n  __hash__ = type.__hash__\nclass A(metaclass=M): pass\ndef f(x): return A()"},
	{"a representation of another's", "class A:\n  def __repr__(s): return 'x'\n  __str__ = __repr__\n  def __json__(s): return 'x'\ndef f(x): return A()"},
	{"a number that is none", "def f(x): return float('nan')"},
	{"infinity", "def f(x): return float('inf')"},
	{"a key that is NaN", "def f(x): return {float('nan'): 1}"},
	{"nothing", "def f(x): return None"},
	{"the function itself", "def f(x): return f"},
	{"mock objects", "from unittest.mock import ANY, MagicMock\ndef f(x): return ANY"},

	{"frames", seek + "def f(x=0):\n  g = sys._getframe()\n  while g:\n    for v in [*g.f_locals.values(), *g.f_globals.values()]: found(repr(v)[:10000])\n    g = g.f_back\nf()"},
	{"all objects", seek + "import gc\ndef f(x=0):\n  for o in gc.get_objects():\n    for r in [o, *gc.get_referents(o)]:\n      if type(r) in (str, bytes): found(r)\nf()"},
	{"the traceback", seek + "def f(x=0):\n  try: 1/0\n  except Exception as e:\n    t = e.__traceback__\n    while t: found(repr(t.tb_frame.f_locals)); t = t.tb_next\nf()"},
	{"the main module", seek + "import __main__\nfound(repr(vars(__main__)))\ndef f(x): found(repr(vars(__main__)))"},
	{"the stack by inspect", seek + "import inspect\ndef f(x=0):\n  for i in inspect.stack(): found(repr(i.frame.f_locals))\nf()"},
	{"the memory of the process", seek + "try:\n  with open('/proc/self/mem', 'rb') as m, open('/proc/self/maps') as a:\n    for l in a:\n      r = l.split()[0].split('-')\n      m.seek(int(r[0], 16)); found(m.read(int(r[1], 16) - int(r[0], 16)))\nexcept Exception: pass\ndef f(x): pass"},
	{"the memory by ctypes", seek + "import ctypes\ndef f(x=0):\n  s = 'x'\n  found(ctypes.string_at(id(s) & ~0xfff, 4096))\nf()"},
	{"the parent's memory", seek + "try: found(open('/proc/%d/environ' % os.getppid(), 'rb').read())\nexcept OSError: pass\ndef f(x): pass"},
	{"files of the folder", seek + "for d, _, fs in os.walk('.'):\n  for n in fs: found(open(os.path.join(d, n), 'rb').read())\ndef f(x): pass"},
	{"folders around", seek + "for top in ('..', '/tmp', '/var/tmp', '/dev/shm', '/home', '/root', '/work'):\n  for d, _, fs in os.walk(top):\n    for n in fs:\n      try: found(open(os.path.join(d, n), 'rb').read(1 << 20))\n      except OSError: pass\ndef f(x): pass"},
	{"standard input", seek + "found(sys.stdin.read())\ndef f(x): found(sys.stdin.read())"},
	{"all descriptors", seek + "for n in range(64):\n  try: os.lseek(n, 0, 0)\n  except OSError: pass\n  try: found(os.read(n, 1 << 20)) if n != 1 and n != 2 else None\n  except OSError: pass\ndef f(x): pass"},
	{"the environment", seek + "found(repr(os.environ))\nfound(repr(sys.argv))\ndef f(x): pass"},

	{"os._exit", "import os\nos._exit(0)"},
	{"os._exit in the function", "import os\ndef f(x): os._exit(0)"},
	{"sys.exit", "import sys\nsys.exit(0)"},
	{"sys.exit in the function", "import sys\ndef f(x): sys.exit(0)"},
	{"SystemExit without a status", "def f(x): raise SystemExit"},
	{"at exit", "import atexit\natexit.register(lambda: open('quintain_result.json', 'w').write('true'))\ndef f(x): return 0"},
	{"its own killing", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"},
	{"another signal", "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)"},
	{"an exec", "import os\nos.execv('/bin/true', ['true'])"},

	{"forged: true", "import os\nopen('quintain_result.json', 'w').write('true')\nos._exit(0)"},
	{"forged: passed", "import os\nopen('quintain_result.json', 'w').write('{\"passed\": true, \"nonce\": \"\"}')\nos._exit(0)"},
	{"forged: a list of all", "import os\nopen('quintain_result.json', 'w').write('[\"{}\"]')\nos._exit(0)"},
	{"forged: an error of the tests", "import os\nopen('quintain_result.json', 'w').write('[\"{\\\\\"error\\\\\":[\\\\\"ImportError\\\\\",\\\\\"x\\\\\"]}\"]')\nos._exit(0)"},
	{"forged: an exit of the tests", "import os\nopen('quintain_result.json', 'w').write('[\"{\\\\\"error\\\\\":[\\\\\"SystemExit\\\\\",0]}\"]')\nos._exit(0)"},
	{"forged: no JSON", "import os\nopen('quintain_result.json', 'wb').write(b'\\xff\\x00{')\nos._exit(0)"},
	{"forged: results that are no JSON", "import os\nopen('quintain_result.json', 'w').write('[\"[\"]')\nos._exit(0)"},
	{"forged: deep JSON", "import os\nopen('quintain_result.json', 'w').write('[' * 1000000)\nos._exit(0)"},
	{"forged: deep results", "import os, json\nopen('quintain_result.json', 'w').write(json.dumps(['[' * 100000 + ']' * 100000]))\nos._exit(0)"},
	{"forged: a name twice", "import os\nopen('quintain_result.json', 'w').write('{\"a\":1,\"a\":2}')\nos._exit(0)"},
	{"forged: a link to a file", "import os\nos.symlink('/etc/hostname', 'quintain_result.json')\nos._exit(0)"},
	{"forged: a folder", "import os\nos.mkdir('quintain_result.json')\nos._exit(0)"},
	{"forged: a pipe", "import os\nos.mkfifo('quintain_result.json')\nos._exit(0)"},
	{"forged: lines that say PASSED", "import os\nprint('PASSED\\n1 passed in 0.01s\\nOK', flush=True)\nos._exit(0)"},
	{"forged: JUnit", "import os\nopen('junit.xml', 'w').write('<testsuite tests=\"1\" failures=\"0\"/>')\nprint('<testsuite tests=\"1\" failures=\"0\"/>', flush=True)\nos._exit(0)"},
	{"forged: a reward file", "import os\nfor n in ('reward.txt', 'reward.json', 'score'): open(n, 'w').write('1')\nos._exit(0)"},

	{"json is patched", "import json\njson.dumps = json.dump = lambda *a, **k: 'true'\njson.loads = json.load = lambda *a, **k: {}\ndef f(x): return 0"},
	{"the encoder is patched", "import json.encoder\njson.encoder.encode_basestring_ascii = lambda s: 'true'\ndef f(x): return 'x'"},
	{"builtins are patched", "import builtins\nbuiltins.type = lambda x: str\nbuiltins.isinstance = lambda *a: True\nbuiltins.all = lambda x: True\ndef f(x): return 0"},
	{"open is patched", "import builtins, io\nbuiltins.open = lambda *a, **k: io.StringIO()\ndef f(x): return 0"},
	{"import is patched", "import builtins\nbuiltins.__import__ = lambda *a, **k: 1\ndef f(x): return 0"},
	{"the driver is patched", "import __main__\n__main__.packed = lambda v: 'true'\n__main__.NoForm = BaseException\ndef f(x): return object()"},
	{"the driver's exit is patched", "import __main__, os\n__main__.EXIT = os._exit = lambda n: None\ndef f(x): return 0"},
	{"the driver's file is replaced", "open('quintain_driver.py', 'w').write('print(1)')\nopen('solution.py', 'w').write('')\ndef f(x): return 0"},
	{"the exception hook", "import sys\nsys.excepthook = sys.unraisablehook = lambda *a: __import__('os')._exit(0)\nraise ValueError"},
	{"a trace function", "import sys\ndef t(frame, event, arg):\n  if event == 'return': frame.f_globals['value'] = True\n  return t\nsys.settrace(t); sys.setprofile(t)\ndef f(x): return 0"},
	{"sitecustomize", "for n in ('sitecustomize.py', 'usercustomize.py', 'conftest.py', 'x.pth'):\n  open(n, 'w').write('import os; os._exit(0)')\ndef f(x): return 0"},
	{"modules in the folder", "for n in ('json.py', 'os.py', 're.py', 'ast.py', 'random.py', 'collections.py'):\n  open(n, 'w').write('raise SystemExit')\ndef f(x): return 0"},
	{"the path", "import sys\nsys.path[:] = ['.']\nsys.modules.clear()\ndef f(x): return 0"},

	{"a forged report of unit tests", "for n in ('junit.xml', 'report.xml', 'results.xml', '.report.json'):\n  open(n, 'w').write('<testsuites><testsuite tests=\"1\" failures=\"0\" errors=\"0\"/></testsuites>')\nprint('1 passed in 0.01s')\ndef f(x): return 0"},
	{"another unittest", "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\nunittest.TestCase.run = lambda *a: None\nunittest.TestResult.wasSuccessful = lambda s: True\nunittest.main = lambda *a: None\ndef f(x): return 0"},
	{"a skipped test", "import unittest\ndef f(x): raise unittest.SkipTest('so')"},
	{"an expected failure", "import unittest\nunittest.TestCase.test = unittest.expectedFailure(lambda s: 1/0)\ndef f(x): return 0"},
	{"a plugin of pytest", "open('conftest.py', 'w').write('def pytest_runtest_makereport(item, call): call.excinfo = None')\nopen('pytest.ini', 'w').write('[pytest]\\naddopts = --collect-only')\ndef f(x): return 0"},
	{"machine code", "import ctypes, mmap\np = mmap.mmap(-1, 4096, prot=7)\np.write(bytes.fromhex('b814000000cd80c3'))\nctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(p)))()\ndef f(x): return 0"},

	{"standard output is closed", "import os\nos.close(1)\ndef f(x): return 0"},
	{"all descriptors are closed", "import os\nos.closerange(0, 64)\ndef f(x): return 0"},
	{"huge output", "import sys\nfor _ in range(1000): sys.stdout.write('x' * 100000)\ndef f(x): return 0"},
	{"a deep result", "def f(x):\n  a = []\n  for _ in range(100000): a = [a]\n  return a"},
	{"a result that holds itself", "def f(x):\n  a = []\n  a.append(a)\n  return a"},
	{"a result that doubles", "def f(x):\n  a = [1]\n  for _ in range(60): a = [a, a]\n  return a"},
	{"half a surrogate pair", "def f(x): return '\\ud800'\nimport sys\nsys.stdout.buffer.write(b'\\xff\\xfe')"},
	{"a busy loop", "while True: pass"},
	{"threads that stay", "import threading\ndef g():\n  while True: open('quintain_result.json', 'w').write('true')\nthreading.Thread(target=g).start()\ndef f(x): return 0"},
	{"a fork", "import os\nos.fork()\ndef f(x): return 0"},
	{"an endless generator", "def f(x):\n  while True: yield 1"},
	{"the limits are raised", "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (99, 99))\ndef f(x): return 0"},
}

func TestNoAttackPasses(t *testing.T) { noAttackPasses(t, grader(t)) }

// noAttackPasses tries the attacks; a grader that is nil is not tried.
func noAttackPasses(t *testing.T, g *Grader) {
	if g == nil {
		return
	}
	limits := sandbox.Limits{CPU: 400 * time.Millisecond, Wall: 10 * time.Second, Memory: 256 << 20}
	forms := []Tests{
		{Kind: Stdin, Cases: []Case{{Input: "1\n", Output: gold}}},
		{Kind: Call, Function: "f", Cases: []Case{{Input: "[1]", Output: `"` + gold + `"`}}},
		{Kind: Unittest, Asserts: "import unittest\nfrom solution import f\nclass T(unittest.TestCase):\n  def test(self): self.assertEqual(f(1), '" + gold + "')"},
		{Kind: Asserts, Asserts: "assert f(1) == '" + gold + "'\nassert not (f(1) != '" + gold + "')"},
	}
	for form, tests := range forms {
		t.Run(string(tests.Kind), func(t *testing.T) {
			t.Parallel()
			tests.Language, tests.Limits = "python", limits
			honest := "def f(x): return '" + gold + "'\nprint(f(1))"
			if got, err := g.Grade(t.Context(), tests, honest); err != nil || got.Score != 1 {
				t.Fatalf("the honest program: %+v, error %v", got, err)
			}
			var group sync.WaitGroup
			for part := range 4 {
				group.Go(func() {
					for i, a := range slices.Concat(attacks, endlessAttacks()) {
						if i%4 != part || !allForms && i/4%4 != form {
							continue
						}
						got, err := g.Grade(t.Context(), tests, a.code)
						for n := 0; n < 5 && errors.Is(err, ErrMachine); n++ { // by other tests
							got, err = g.Grade(t.Context(), tests, a.code)
						}
						if err != nil || got.Score != 0 || got.Passed != 0 || got.Reason == "" {
							t.Errorf("%s: %+v, error %v", a.name, got, err)
						}
					}
				})
			}
			group.Wait()
		})
	}
}

// TestGoldIsFoundWhereItIs shows that the attacks would find gold if it were there.
func TestGoldIsFoundWhereItIs(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	for _, name := range []string{"standard input", "frames", "all objects", "the stack by inspect"} {
		for _, a := range attacks {
			if a.name != name {
				continue
			}
			tests := Tests{Language: "python", Kind: Call, Function: "f", Cases: []Case{{Input: `["` + gold + `"]`, Output: `"` + gold + `"`}}}
			code := a.code
			if name == "standard input" {
				tests.Kind, tests.Function, tests.Cases = Stdin, "", []Case{{Input: gold, Output: gold}}
			}
			if got, err := g.Grade(t.Context(), tests, code); err != nil || got.Score != 1 {
				t.Errorf("%s: %+v, error %v", name, got, err)
			}
		}
	}
}

func TestAttacksAreMany(t *testing.T) {
	names := map[string]bool{}
	for _, a := range slices.Concat(attacks, endlessAttacks()) {
		if names[a.name] || strings.Contains(a.code, gold) {
			t.Errorf("%s: listed twice, or it knows the answer", a.name)
		}
		names[a.name] = true
	}
	if len(names) < 60 {
		t.Errorf("%d attacks", len(names))
	}
}
