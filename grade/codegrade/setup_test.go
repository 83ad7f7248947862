package codegrade

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

func TestSetupAsksInterpreters(t *testing.T) {
	for _, c := range []struct {
		why       string
		languages []string
		python    sandbox.Result // what Python answers
		missing   error          // of all others
		want      []sandbox.Interpreter
		fails     string
	}{
		{"Python is always asked, once", []string{"py"}, printed("cpython 3.11.2\n/usr/bin/python3\n", 0), nil,
			[]sandbox.Interpreter{{Language: "python", Version: "cpython 3.11.2", Path: "/usr/bin/python3"}}, ""},
		{"a compiler tells no path", []string{"c", "c"}, printed("pypy 7.3\n", 0), nil,
			[]sandbox.Interpreter{{Language: "python", Version: "pypy 7.3"}, {Language: "c", Version: "9"}}, ""},
		{"a missing interpreter has no version", []string{"javascript"}, printed("cpython 3\n", 0), sandbox.ErrNoProgram,
			[]sandbox.Interpreter{{Language: "python", Version: "cpython 3"}, {Language: "javascript"}}, ""},
		{"the machine fails", []string{"bash"}, printed("cpython 3\n", 0), errors.New("no room"), nil, "bash: no room"},
		{"an unknown language", []string{"cobol"}, printed("cpython 3\n", 0), nil, nil, "unknown language"},
		{"it says nothing", nil, printed(" \n", 0), nil, nil, "says none"},
		{"it does not start", nil, sandbox.Result{End: sandbox.Exited, Code: 127, Stderr: []byte("a\nno libpython\n")}, nil, nil, "exited 127: no libpython"},
	} {
		box := &fake{do: func(_ int, job sandbox.Job) (sandbox.Result, error) {
			if job.Argv[0] == "python3" {
				return c.python, nil
			}
			return printed("9\n", 0), c.missing
		}}
		got, err := (&Grader{Sandbox: box}).Setup(t.Context(), c.languages...)
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: error %v, want %q", c.why, err, c.fails)
			}
		case err != nil || !slices.Equal(got.Interpreters, c.want):
			t.Errorf("%s: %+v, error %v, want %+v", c.why, got, err, c.want)
		}
	}
}

// TestSetupOfThisMachine asks the interpreters that this machine has.
func TestSetupOfThisMachine(t *testing.T) {
	g := grader(t)
	if _, err := exec.LookPath("/usr/bin/python3"); g == nil || err != nil {
		return
	}
	got, err := g.Setup(t.Context(), LanguageNames()...)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Interpreters) != len(languages) || !strings.HasPrefix(got.Interpreters[0].Version, "cpython 3.") || !strings.Contains(got.Interpreters[0].Path, "python") {
		t.Errorf("interpreters %+v", got.Interpreters)
	}
	if speed, err := g.Speed(t.Context()); err != nil {
		t.Error(err)
	} else if again, err := g.Setup(t.Context()); err != nil || got.Speed != 0 || again.Speed != speed {
		t.Errorf("the speed is %v before it is measured, and then %v, want %v, error %v", got.Speed, again.Speed, speed, err)
	}
	for _, i := range got.Interpreters[1:] {
		if i.Version != "" && !strings.Contains(i.Version, ".") {
			t.Errorf("%s says that it is %q", i.Language, i.Version)
		}
	}
}
