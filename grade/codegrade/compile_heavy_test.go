//go:build heavy

package codegrade

import "testing"

// TestSlowCompilers judges what keeps a compiler, or the tests, busy until a limit ends them.
func TestSlowCompilers(t *testing.T) {
	judge(t, []submission{
		{"c", "char large[50 << 20] = {1}; int main(void) {}", WrongAnswer},
		{"cpp", "#include <bits/stdc++.h>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }", ""},
		{"cpp", "template<int n> struct A { A<n + 1> a; }; A<0> a; int main() {}", CompileError},
		{"cpp", "constexpr int f() { unsigned n = 0; for (;;) n++; return n; }\nint main() { static_assert(f()); }", CompileError},
	})
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
