package codegrade

import (
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

// A submission shall add two numbers.
type submission struct {
	language, code string
	want           Reason
}

// judge judges submissions in the languages that this machine has.
func judge(t *testing.T, all []submission) {
	t.Helper()
	g := grader(t)
	cases := []Case{{Input: "3 4\n", Output: "7"}, {Input: "10 20\n", Output: "30"}}
	for _, c := range all {
		if g == nil {
			break
		}
		got, err := g.Grade(t.Context(), Tests{Language: c.language, Kind: Stdin, Cases: cases}, c.code)
		if errors.Is(err, sandbox.ErrNoProgram) || errors.Is(err, sandbox.ErrWeak) {
			continue // this machine lacks the compiler, or a pid namespace, and says so
		}
		if err != nil || got.Reason != c.want {
			t.Errorf("%s %q: %+v, error %v, want %q", c.language, c.code, got, err, c.want)
		}
	}
}

func TestLanguages(t *testing.T) {
	judge(t, []submission{
		{"c", "#include <stdio.h>\nint main(void) { int a, b; scanf(\"%d %d\", &a, &b); printf(\"%d\\n\", a + b); }", ""},
		{"c", "int main(void) { return x; }", CompileError},
		{"c", "int main(void) { return 1; }", RuntimeError},
		{"c", "int main(void) { int *p = 0; return *(volatile int *)p; }", RuntimeError},
		{"c", "#include \"/dev/zero\"\nint main(void) {}", CompileError},
		{"c", "#include \"/etc/shadow\"\nint main(void) {}", CompileError},
		{"cpp", "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }", ""},
		{"javascript", "const [a, b] = require('fs').readFileSync(0, 'utf8').split(' ').map(Number); console.log(a + b)", ""},
		{"javascript", "const [a, b] = require('fs').readFileSync('/dev/stdin', 'utf8').split(' ').map(Number); console.log(a + b)", ""},
		{"javascript", "console.log(0", RuntimeError},
		{"bash", "read a b; echo $((a + b)) | cat", ""},
		{"bash", "exit 3", RuntimeError},
	})
}

func TestFilesInPlaceOfInputAndOutput(t *testing.T) {
	g := grader(t)
	const reads = "n = int(open('input.txt').read())\n"
	for _, c := range []struct {
		why, code string
		to        string // the output file
		compare   Compare
		want      Reason
	}{
		{"both are files", reads + "open('output.txt', 'w').write(str(2 * n))", "output.txt", Lines, ""},
		{"a wrong output", reads + "open('output.txt', 'w').write(str(n))", "output.txt", Lines, WrongAnswer},
		{"it prints", reads + "print(2 * n)", "output.txt", Lines, WrongAnswer},
		{"only the input is a file", reads + "print(2 * n)", "", Lines, ""},
		{"standard input is empty", "print(2 * int(input()))", "", Lines, RuntimeError},
		{"a checker gets the file", reads + "open('output.txt', 'w').write(str(2 * n))", "output.txt", Checker, ""},
		{"the output is a link", "import os\nos.symlink('input.txt', 'output.txt')", "output.txt", Lines, WrongAnswer},
		{"the output is a folder", "import os\nos.mkdir('output.txt')", "output.txt", Lines, WrongAnswer},
		{"it fails after its output", reads + "open('output.txt', 'w').write(str(2 * n))\n1/0", "output.txt", Lines, RuntimeError},
	} {
		if g == nil {
			break
		}
		tests := Tests{Language: "python", Kind: Stdin, InputFile: "input.txt", OutputFile: c.to, Compare: c.compare, Cases: []Case{{Input: "21\n", Output: "42\n"}}}
		if c.compare == Checker {
			tests.Checker = "import sys\nsys.exit(open(sys.argv[2]).read() != '42')"
		}
		got, err := g.Grade(t.Context(), tests, c.code)
		if err != nil || got.Reason != c.want || (got.Score == 1) != (c.want == "") {
			t.Errorf("%s: %+v, error %v, want %q", c.why, got, err, c.want)
		}
	}
}

func TestCheckers(t *testing.T) {
	g := grader(t)
	const sorts = `
import sys
a, b = (sorted(open(n).read().split()) for n in (sys.argv[2], sys.argv[3]))
`
	for _, c := range []struct {
		why, checker, output string
		first                bool
		want                 Reason
		err                  error
	}{
		{"its status accepts", sorts + "sys.exit(a != b)", "2 1", false, "", nil},
		{"its status refuses", sorts + "sys.exit(a != b)", "2 3", false, WrongAnswer, nil},
		{"it prints 1", sorts + "print('score', int(a == b))", "2 1", false, "", nil},
		{"it prints 0", sorts + "print(int(a == b))", "2 3", false, WrongAnswer, nil},
		{"it prints a part", "print(0.5)", "2 1", false, WrongAnswer, nil},
		{"it prints words", "print('ok')", "2 1", false, "", nil},
		{"the output brings it down", "import sys\nint(open(sys.argv[2]).read())", "x", false, WrongAnswer, nil},
		{"the tests are to blame", "import sys\nsys.exit('no') if 0 else sys.exit(3)", "1", false, "", ErrTests},
		{"the output is second", "import sys\nprint(int(open(sys.argv[2]).read() == '9\\n' and open(sys.argv[1]).read() == 'in'))", "9", false, "", nil},
		{"the expected output is second", "import sys\nprint(int(open(sys.argv[2]).read() == '1 2'))", "9", true, "", nil},
		{"an output that speaks for itself", "import sys\nprint(open(sys.argv[2]).read())\nsys.exit(1)", "1", false, WrongAnswer, nil},
	} {
		if g == nil {
			break
		}
		tests := Tests{Language: "python", Kind: Stdin, Compare: Checker, Checker: c.checker, ExpectedFirst: c.first, Cases: []Case{{Input: "in", Output: "1 2"}}}
		got, err := g.Grade(t.Context(), tests, "print('"+c.output+"')")
		if !errors.Is(err, c.err) || got.Reason != c.want {
			t.Errorf("%s: %+v, error %v, want %q", c.why, got, err, c.want)
		}
	}
}

func TestLanguagesHaveOneNameInTests(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"py": "python", "python": "python", "c++": "cpp", "nodejs": "javascript", "sh": "bash", "ruby": "", "": ""} {
		if got, err := LanguageName(name); got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, ErrLanguage) {
			t.Errorf("%q is %q, %v, want %q", name, got, err, want)
		}
	}
}
