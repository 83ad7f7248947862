//go:build unix

package command

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

// open opens a box that the test closes.
func open(t *testing.T, c Config) *Box {
	t.Helper()
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// Where bubblewrap works, the whole suite holds it; elsewhere the suite demands that nothing runs.
func TestBubblewrap(t *testing.T) {
	sandboxtest.RunWalled(t, func(t *testing.T, dir string) sandbox.Sandbox {
		b := open(t, Config{Line: "bwrap", Dir: dir})
		t.Logf("%+v", b.strength)
		return b
	})
}

// A wrapper that confines nothing is found out, whatever it claims.
func TestWeakWrappers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, line, want string }{
		{"it holds nothing", "env {argv}", "no network, no files but the job's, a sure kill"},
		{"there is none", "no-such-wrapper {argv}", "a wrapper that runs programs"},
		{"it fails", "false {argv}", "a wrapper that runs programs"},
		{"it says that all is well, and runs nothing", "true {argv}", "a wrapper that runs programs"},
	} {
		b := open(t, Config{Line: c.line, Dir: passable(t)})
		_, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"sh", "-c", "echo hi"}})
		if !errors.Is(err, sandbox.ErrWeak) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.why, err, c.want)
		}
	}
}

// passable returns a folder through which users without rights can pass.
func passable(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, one := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(one, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// trusting opens a box whose wrapper confines nothing, and takes it for a strong one: its programs
// are those of this file.
func trusting(t *testing.T, line string) *Box {
	t.Helper()
	b := open(t, Config{Line: line, Dir: passable(t)})
	b.strength = sandbox.Strength{}
	return b
}

// A plain wrapper shows what the back end adds by itself, on any machine.
func TestResults(t *testing.T) {
	t.Parallel()
	b := trusting(t, "env WORD=' $(touch x) ' {argv}")
	ofProbe, _ := filepath.Glob(filepath.Join(b.dir, "*")) // of a process that outlived its job, for it was tried whether one can
	for _, c := range []struct {
		script string
		limits sandbox.Limits
		end    sandbox.End
		code   int
		out    string
	}{
		{"echo hi; exit 3", sandbox.Limits{}, sandbox.Exited, 3, "hi\n"},
		{"cat; echo $HOME $WORD", sandbox.Limits{}, sandbox.Exited, 0, "in"},
		{"kill -9 $$", sandbox.Limits{}, sandbox.Signalled, 9, ""},
		{"while :; do :; done", sandbox.Limits{CPU: 300 * time.Millisecond}, sandbox.CPULimit, 0, ""},
		{"sleep 100", sandbox.Limits{Wall: 500 * time.Millisecond}, sandbox.WallLimit, 0, ""},
		{"while :; do echo aaaaaaaaaa; done", sandbox.Limits{Output: 25}, sandbox.OutputLimit, 0, "aaaaaaaaaa\naaaaaaaaaa\naaa"},
		{"for i in 1 2 3 4 5; do sleep 100 & done; wait", sandbox.Limits{Processes: 3}, sandbox.ProcessLimit, 0, ""},
		{"a=12345678; while :; do a=$a$a; done", sandbox.Limits{Memory: 64 << 20, CPU: 20 * time.Second}, sandbox.MemoryLimit, 0, ""},
		{"for i in 1 2 3 4 5 6; do echo > $i; done; sleep 100", sandbox.Limits{Files: 5}, sandbox.DiskLimit, 0, ""},
	} {
		c.limits.Processes = max(2, c.limits.Processes)
		if c.limits.Wall == 0 {
			c.limits.Wall = time.Minute
		}
		got, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"sh", "-c", c.script}, Stdin: []byte("in"), Limits: c.limits})
		if err != nil || got.End != c.end || got.Code != c.code || !strings.HasPrefix(string(got.Stdout), c.out) {
			t.Errorf("%s: %+v, output %q, errors %q, error %v", c.script, got, got.Stdout, got.Stderr, err)
		}
	}
	got, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"sh", "-c", "echo x > made; exit 137"}, Fetch: []string{"made", "none"}})
	if err != nil || got.End != sandbox.Signalled || got.Code != 9 || got.Fetched != nil {
		t.Errorf("%+v, error %v", got, err)
	}
	if left, _ := filepath.Glob(filepath.Join(b.dir, "*")); len(left) > len(ofProbe) {
		t.Errorf("%q are left, before %q", left, ofProbe)
	}
}

// A wrapper that fails later is a fault of the machine, and no result of the program.
func TestFaultsOfTheWrapperAreErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wrapper, broken := filepath.Join(dir, "wrapper"), filepath.Join(dir, "broken")
	script := "#!/bin/sh\n[ -e " + broken + " ] && { echo the daemon is gone >&2; exit 1; }\nexec \"$@\"\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(one, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b := trusting(t, wrapper+" {argv}")
	job := sandbox.Job{Argv: []string{"sh", "-c", "exit 1"}}
	if got, err := b.Run(t.Context(), job); err != nil || got.End != sandbox.Exited || got.Code != 1 {
		t.Errorf("%+v, error %v", got, err)
	}
	if err := os.WriteFile(broken, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Run(t.Context(), job); err == nil || got.End != "" || !strings.Contains(err.Error(), "the daemon is gone") {
		t.Errorf("%+v, error %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := b.Run(ctx, job); !errors.Is(err, context.Canceled) || got.End != "" {
		t.Errorf("%+v, error %v", got, err)
	}
}

// What a container's daemon would leave is ended by a command of its own.
func TestTheEndOfAJob(t *testing.T) {
	t.Parallel()
	b := trusting(t, "env {argv}")
	said := filepath.Join(b.dir, "said")
	b.end = []string{"sh", "-c", "echo $0 >> " + said, "{id}"}
	if err := os.WriteFile(said, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(said, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := b.run(t.Context(), sandbox.Job{Argv: []string{"sh", "-c", "exit 0"}}, nil); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(said); !strings.HasPrefix(string(text), "quintain-") {
		t.Errorf("%q", text)
	}
	b.end = []string{"false"}
	if got, err := b.run(t.Context(), sandbox.Job{Argv: []string{"sh", "-c", "exit 0"}}, nil); err == nil || got.End != "" {
		t.Errorf("a job whose end failed: %+v, error %v", got, err)
	}
}

// A line is read without a shell.
func TestLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, want string }{
		{"bwrap", ""}, {"docker python:3.12", ""}, {"podman --volume /a:/a image", ""}, {"x {argv}", ""},
		{"", "empty"}, {"x", "0 words {argv}"}, {"x {argv} {argv}", "2 words {argv}"}, {"x '{argv}", "not closed"}, {"x a{argv}", "0 words"},
	} {
		line, end, err := Config{Line: c.line}.parse()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, error %v", c.line, line, err)
		}
		if strings.HasPrefix(c.line, "docker") && (strings.Join(end, " ") != "docker rm -f {id}" || !strings.HasSuffix(strings.Join(line, " "), "/job python:3.12 {argv}")) {
			t.Errorf("%s: %q, then %q", c.line, line, end)
		}
	}
}
