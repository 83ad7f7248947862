//go:build heavy

package codegrade

import (
	"testing"

	"github.com/quintain-rl/quintain/sandbox/native"
)

// allForms tells whether each attack is tried on all forms of tests, or on one of them in turn.
const allForms = true

// endlessAttacks are those that only a limit ends.
func endlessAttacks() []attack {
	return []attack{
		{"a regular expression that blows up", "import re\nre.match('(a+)+$', 'a' * 64 + 'b')\ndef f(x): return 0"},
		{"huge errors", "import sys\nfor _ in range(1000): sys.stderr.write('x' * 100000)\ndef f(x): return 0"},
		{"a huge result", "def f(x): return 'x' * 100_000_000\nprint(f(1))"},
		{"a huge file", "open('quintain_result.json', 'w').write('1' * 100_000_000)"},
		{"a huge number", "def f(x): return 10 ** 300000"},
		{"endless recursion", "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(x): return f(x)\nf(1)"},
	}
}

// TestNoAttackPassesOnFreshInterpreters is without a zygote.
func TestNoAttackPassesOnFreshInterpreters(t *testing.T) {
	noAttackPasses(t, graderIn(t, native.Config{}))
}
