package backend_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

// fusion runs programs as SandboxFusion does with isolation none: a file of Python in a new folder.
// The programs are those of this file.
func fusion(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v1/ping":
		fmt.Fprint(w, `"pong"`)
	case "/run_code":
		runCode(w, r)
	default:
		http.NotFound(w, r)
	}
}

func runCode(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Code, Language, Stdin string
		Timeout               float64            `json:"run_timeout"`
		Files                 map[string]*string `json:"files"`
		Fetch                 []string           `json:"fetch_files"`
	}
	dir, err := os.MkdirTemp("", "fusion-")
	if err = errors.Join(err, json.NewDecoder(r.Body).Decode(&q)); err != nil || q.Language != "python" {
		http.Error(w, fmt.Sprint(err), http.StatusUnprocessableEntity)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range q.Files {
		data, _ := base64.StdEncoding.DecodeString(*text)
		_ = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		_ = os.WriteFile(filepath.Join(dir, name), data, 0o644)
	}
	_ = os.WriteFile(filepath.Join(dir, "tmpabc.py"), []byte(q.Code), 0o644)
	ctx, stop := context.WithTimeout(r.Context(), time.Duration(q.Timeout*float64(time.Second)))
	defer stop()
	c := exec.CommandContext(ctx, "python3", "tmpabc.py")
	var out, errs bytes.Buffer
	c.Dir, c.Stdin, c.Stdout, c.Stderr, c.WaitDelay = dir, strings.NewReader(q.Stdin), &out, &errs, time.Second
	_ = c.Run()
	run := map[string]any{"status": "Finished", "execution_time": 0.1, "return_code": c.ProcessState.ExitCode(), "stdout": out.String(), "stderr": errs.String()}
	if signal := c.ProcessState.String(); strings.HasPrefix(signal, "signal: ") {
		run["return_code"] = -map[string]int{"signal: killed": 9, "signal: terminated": 15, "signal: CPU time limit exceeded": 24}[signal]
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		run["status"], run["return_code"] = "TimeLimitExceeded", nil
	}
	files := map[string]string{}
	for _, name := range q.Fetch {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil {
			files[name] = base64.StdEncoding.EncodeToString(data)
		}
	}
	status := map[bool]string{true: "Success", false: "Failed"}[run["return_code"] == 0]
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "message": "", "compile_result": nil, "run_result": run, "files": files})
}

// A fusionCase is a job on SandboxFusion with what comes of it.
type fusionCase struct {
	why   string
	job   sandbox.Job
	end   sandbox.End
	code  int
	out   string
	fault string // part of the error; empty: none
}

func TestFusion(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(fusion))
	t.Cleanup(s.Close)
	b := open(t, backend.RemoteConfig{URLs: []string{s.URL}, Trust: true})
	sh := func(script string) []string { return []string{"sh", "-c", script} }
	script := map[string][]byte{"dir/run": []byte("#!/bin/sh\necho $1 $HOME | sed s,$PWD,HERE,; cat; exit 3\n"), "none": []byte("\x7fno program")}
	for _, c := range []fusionCase{
		{why: "Python, with its flags", job: sandbox.Job{Argv: []string{"python3", "-I", "-c", "import sys; print(sys.flags.isolated, sys.argv[1])", "ä"}}, end: sandbox.Exited, out: "1 ä\n"},
		{why: "a file of the job", job: sandbox.Job{Argv: []string{"./dir/run", "a b"}, Files: script, Stdin: []byte("in")}, end: sandbox.Exited, code: 3, out: "a b HERE\nin"},
		{why: "a file that is no program", job: sandbox.Job{Argv: []string{"./none"}, Files: script}, end: sandbox.Refused},
		{why: "no such file", job: sandbox.Job{Argv: []string{"./other"}, Files: script}, end: sandbox.Refused},
		{why: "no such program", job: sandbox.Job{Argv: []string{"no-such-interpreter"}}, fault: "no such program"},
		{why: "a program that says so itself", job: sandbox.Job{Argv: sh("echo quintain 2 >&2; exit 127")}, end: sandbox.Exited, code: 127},
		{why: "its environment", job: sandbox.Job{Argv: sh("echo $PYTHONHASHSEED $TZ; ls"), Seed: 7}, end: sandbox.Exited, out: "7 UTC\n"},
		{why: "a file it wrote", job: sandbox.Job{Argv: sh("echo x > made"), Fetch: []string{"made", "other"}}, end: sandbox.Exited},
		{why: "a signal", job: sandbox.Job{Argv: sh("kill -9 $$")}, end: sandbox.Signalled, code: 9},
		{why: "an endless loop", job: sandbox.Job{Argv: sh("while :; do :; done"), Limits: sandbox.Limits{CPU: 700 * time.Millisecond, Wall: time.Minute}}, end: sandbox.CPULimit},
		{why: "a sleeper", job: sandbox.Job{Argv: sh("exec sleep 100"), Limits: sandbox.Limits{Wall: 2 * time.Second}}, end: sandbox.WallLimit},
		{why: "much output", job: sandbox.Job{Argv: sh("echo 123456789"), Limits: sandbox.Limits{Output: 4}}, end: sandbox.OutputLimit, out: "1234"},
		{why: "input that JSON cannot hold", job: sandbox.Job{Argv: sh("cat"), Stdin: []byte("\xff")}, fault: "not UTF-8"},
		{why: "a name that JSON cannot hold", job: sandbox.Job{Argv: sh("ls"), Files: map[string][]byte{"\xff": nil}}, fault: "takes no file"},
	} {
		if c.job.Limits.Wall == 0 {
			c.job.Limits.Wall = 5 * time.Minute // for a busy machine
		}
		got, err := b.Run(t.Context(), c.job)
		if (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) || got.End != c.end || got.Code != c.code || string(got.Stdout) != c.out {
			t.Errorf("%s: %s %d, output %q, errors %q, why %q, error %v", c.why, got.End, got.Code, got.Stdout, got.Stderr, got.Why, err)
		}
		want := sandbox.Unknown
		switch got.End {
		case "", sandbox.Refused:
			want = got.CPU
		case sandbox.CPULimit:
			want = time.Second
		}
		if got.CPU != want {
			t.Errorf("%s: %v on the processor, want %v", c.why, got.CPU, want)
		}
		if len(c.job.Fetch) > 0 && string(got.Fetched["made"]) != "x\n" {
			t.Errorf("%s: fetched %q", c.why, got.Fetched)
		}
	}
}

// A SandboxFusion that nobody trusts by name runs nothing.
func TestFusionIsTrustedByNameOnly(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(fusion))
	t.Cleanup(s.Close)
	b := open(t, backend.RemoteConfig{URLs: []string{s.URL}})
	if got, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"python3", "-c", ""}}); !errors.Is(err, sandbox.ErrWeak) || got.End != "" {
		t.Errorf("%+v, error %v", got, err)
	}
	strength, err := b.Probe(t.Context())
	if err != nil || !errors.Is(strength.Err(), sandbox.ErrWeak) || !strings.Contains(strength.Err().Error(), "sandbox.trust") {
		t.Errorf("%+v, error %v", strength, err)
	}
	trusting := open(t, backend.RemoteConfig{URLs: []string{s.URL}, Trust: true})
	if strength, err := trusting.Probe(t.Context()); err != nil || strength.Err() != nil || !strings.Contains(strength.Layers[0].Note, "trusted by its user") {
		t.Errorf("%+v, error %v", strength, err)
	}
	if session, err := trusting.Open(t.Context(), sandbox.Spec{}); err == nil || session != nil {
		t.Errorf("a session: %v, error %v", session, err)
	}
}

// Verdicts are the same there, and a program that waits is told from a machine that is busy.
func TestFusionJudgesPrograms(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(fusion))
	t.Cleanup(s.Close)
	g := &codegrade.Grader{Sandbox: open(t, backend.RemoteConfig{URLs: []string{s.URL}, Trust: true})}
	tests := codegrade.Tests{Language: "python", Kind: codegrade.Stdin, Cases: []codegrade.Case{{Input: "2", Output: "4"}}, Limits: sandbox.Limits{CPU: 300 * time.Millisecond, Wall: time.Minute}}
	calls := codegrade.Tests{Language: "python", Kind: codegrade.Call, Function: "double", Cases: []codegrade.Case{{Input: "[2]", Output: "4"}}}
	for _, c := range []struct {
		tests codegrade.Tests
		code  string
		want  codegrade.Reason
	}{
		{tests, "print(2 * int(input()))", ""},
		{tests, "print(5)", codegrade.WrongAnswer},
		{tests, "1 / 0", codegrade.RuntimeError},
		{tests, "while True: pass", codegrade.TimeLimit},
		{calls, "def double(n): return 2 * n", ""},
		{calls, "def double(n): return n", codegrade.WrongAnswer},
	} {
		got, err := g.Grade(t.Context(), c.tests, c.code)
		if err != nil || got.Reason != c.want || slices.ContainsFunc(got.Outcomes, func(o codegrade.Outcome) bool { return c.want == "" && o.CPU != -1 }) {
			t.Errorf("%s: %+v, error %v, want %q", c.code, got, err, c.want)
		}
	}
}
