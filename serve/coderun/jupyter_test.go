package coderun

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

// A kernel is a sandbox with sessions.
type kernel struct {
	box
	session session
}

func (k kernel) Open(context.Context, sandbox.Spec) (sandbox.Session, error) { return k.session, nil }

// A session answers each cell after the first as a test wants.
type session struct {
	cell func(text string) (sandbox.Result, error)
	mark *string
}

func (s session) Close() error { return nil }

func (s session) Run(_ context.Context, text string, _ sandbox.Limits) (sandbox.Result, error) {
	if _, after, ok := strings.Cut(text, `sys.stdout.write("`); ok && *s.mark == "" {
		*s.mark, _, _ = strings.Cut(after, `"`)
		return sandbox.Result{End: sandbox.Exited}, nil
	}
	return s.cell(text)
}

func TestNotebooks(t *testing.T) {
	t.Parallel()
	trace := "Traceback (most recent call last):\n  File \"<cell 2>\", line 1, in <module>\n__main__.Bad: two\nlines\n"
	for _, test := range []struct {
		result sandbox.Result
		err    error
		body   string
		status int
		want   string
		why    string
	}{
		{sandbox.Result{End: sandbox.Exited, Stdout: []byte("a\nMARK1MARKb")}, nil, `{"cells":["x"]}`, 200, `"stdout":"a\nb","stderr":"","display":[{"text/plain":"1"}],"error":[]`, "a value is displayed"},
		{sandbox.Result{End: sandbox.Exited, Stdout: []byte("MARK1")}, nil, `{"cells":["x"]}`, 200, `"display":[{"text/plain":"1"}]`, "half a value"},
		{sandbox.Result{End: sandbox.Exited, Code: 1, Stderr: []byte("mine\n" + trace)}, nil, `{"cells":["x","y"]}`, 200, `"stderr":"mine\n","display":[],"error":[{"ename":"Bad","evalue":"two\nlines","traceback":["Traceback`, "an exception"},
		{sandbox.Result{End: sandbox.Exited, Code: 1, Stderr: []byte("  File \"<cell 1>\", line 1\n    (\n    ^\nSyntaxError: '(' was never closed\n")}, nil, `{"cells":["("]}`, 200, `"ename":"SyntaxError","evalue":"'(' was never closed"`, "no Python"},
		{sandbox.Result{End: sandbox.Exited, Code: 3}, nil, `{"cells":["exit(3)"]}`, 200, `"ename":"SystemExit","evalue":"3"`, "an exit"},
		{sandbox.Result{End: sandbox.WallLimit}, nil, `{"cells":["x"],"cell_timeout":2}`, 200, `"ename":"TimeoutError","evalue":"the cell took more than 2s"`, "a cell that takes too long"},
		{sandbox.Result{End: sandbox.MemoryLimit, Over: true}, nil, `{"cells":["x","y"]}`, 200, `{"status":"Failed","message":"","driver":{"status":"Finished","execution_time":0,"return_code":1,"stdout":"","stderr":"cell 1 ended the interpreter: memory_limit"},"cells":[{`, "the session has ended"},
		{sandbox.Result{}, errors.New("no memory"), `{"cells":["x"]}`, 503, "no memory", "a fault of the machine"},
		{sandbox.Result{End: sandbox.Refused, Why: "no UTF-8"}, nil, `{"cells":["x"]}`, 422, "cells[0]: no UTF-8", "the cell is at fault"},
		{sandbox.Result{}, nil, `{"cells":["` + strings.Repeat("x", 101<<10) + `"]}`, 422, "cells[0]: has", "a large cell"},
		{sandbox.Result{}, nil, `{"kernel":"python3"}`, 422, "cells: are missing", "no cells"},
		{sandbox.Result{}, nil, `{"cells":["x"],"total_timeout":-1}`, 422, "total_timeout: is -1", "a time must be one"},
		{sandbox.Result{}, nil, `{"cells":["x"],"cell_timeout":-1}`, 422, "cell_timeout: is -1", "a time must be one"},
		{sandbox.Result{}, nil, `{"cells":["x"],"files":{"../a":""}}`, 422, "../a", "a name with .."},
		{sandbox.Result{}, nil, `{"cells":["x"],"fetch_files":["/etc/passwd"]}`, 422, "/etc/passwd", "a file elsewhere"},
		{sandbox.Result{}, nil, `{"cells":["x"],"kernel":"julia"}`, 400, "want python3", "another kernel"},
	} {
		var mark string
		k := kernel{session: session{mark: &mark, cell: func(string) (sandbox.Result, error) {
			r := test.result
			r.Stdout = []byte(strings.ReplaceAll(string(r.Stdout), "MARK", mark))
			return r, test.err
		}}}
		status, answer := ask(t, &Server{Box: k}, "/run_jupyter", test.body)
		if status != test.status || !strings.Contains(answer, test.want) {
			t.Errorf("%s: %.200s gives %d %s, want %d %s", test.why, test.body, status, answer, test.status, test.want)
		}
	}
	if status, answer := post(t, echo, "/run_jupyter", `{"cells":["x"]}`); status != 501 {
		t.Errorf("a sandbox without sessions: %d %s", status, answer)
	}
}

// TestNotebooksInTheSandbox runs cells in the sandbox of this machine.
func TestNotebooksInTheSandbox(t *testing.T) {
	t.Parallel()
	b := own(t)
	if b == nil {
		return
	}
	file := base64.StdEncoding.EncodeToString([]byte("7"))
	body := fmt.Sprintf(`{"cells":["a = int(open('a.txt').read())","a + 1","import sys\nprint(a)\nsys.stderr.write('e')\nNone","raise RuntimeError('error message')","def f(:","while True: pass","_ + 1\n","open('b.txt', 'w').write('b')","open('empty.txt', 'w').close()"],"cell_timeout":0.5,"files":{"a.txt":%q},"fetch_files":["b.txt","none.txt","empty.txt"]}`, file)
	status, answer := ask(t, &Server{Box: b}, "/run_jupyter", body)
	if status != 200 {
		t.Fatal(status, answer)
	}
	for _, want := range []string{
		`{"status":"Success","message":"","driver":{"status":"Finished"`,
		`"cells":[{"stdout":"","stderr":"","display":[],"error":[]},{"stdout":"","stderr":"","display":[{"text/plain":"8"}],"error":[]},{"stdout":"7\n","stderr":"e","display":[],"error":[]},`,
		`"ename":"RuntimeError","evalue":"error message"`, `"ename":"SyntaxError"`, `"ename":"TimeoutError"`, `"display":[{"text/plain":"9"}]`, `"files":{"b.txt":"Yg==","empty.txt":""}`,
	} {
		if !strings.Contains(answer, want) {
			t.Errorf("%s: there is no %s", answer, want)
		}
	}
	if _, late := ask(t, &Server{Box: b}, "/run_jupyter", `{"cells":["import time","time.sleep(60)","1"],"total_timeout":1}`); !strings.Contains(late, `{"status":"Failed","message":"","driver":{"status":"TimeLimitExceeded"`) || strings.Contains(late, `"text/plain":"1"`) {
		t.Errorf("past the time of all cells: %s", late)
	}
}
