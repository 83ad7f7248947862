//go:build heavy

package codegrade

import (
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

// TestSlowCompilers judges what keeps a compiler, or the tests, busy until a limit ends them.
func TestSlowCompilers(t *testing.T) {
	g := grader(t)
	for _, c := range []struct {
		language, code string
		want           Reason
	}{
		{"c", "char large[50 << 20] = {1}; int main(void) {}", WrongAnswer},
		{"cpp", "#include <bits/stdc++.h>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }", ""},
		{"cpp", "template<int n> struct A { A<n + 1> a; }; A<0> a; int main() {}", CompileError},
		{"cpp", "constexpr int f() { unsigned n = 0; for (;;) n++; return n; }\nint main() { static_assert(f()); }", CompileError},
	} {
		if g == nil {
			break
		}
		got, err := g.Grade(t.Context(), Tests{Language: c.language, Kind: Stdin, Cases: []Case{{Input: "3 4\n", Output: "7"}}}, c.code)
		if errors.Is(err, sandbox.ErrNoProgram) || errors.Is(err, sandbox.ErrWeak) {
			continue // this machine lacks the compiler, or a pid namespace, and says so
		}
		if err != nil || got.Reason != c.want {
			t.Errorf("%s %q: %+v, error %v, want %q", c.language, c.code, got, err, c.want)
		}
	}
}

func TestEndlessQuestionsEnd(t *testing.T) {
	g := grader(t)
	if g == nil {
		return
	}
	tests := Tests{Language: "python", Kind: Asserts, Asserts: "x = 0\nwhile x >= 0:\n    x = f(x)", Limits: patient}
	if got, err := g.Grade(t.Context(), tests, "def f(x): return x + 1"); err != nil || got.Reason != WrongAnswer {
		t.Errorf("%+v, error %v", got, err)
	}
}
