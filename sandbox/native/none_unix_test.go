//go:build unix

package native

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

func TestPlainProcesses(t *testing.T) {
	b, err := NewUnconfined()
	if err != nil {
		t.Fatal(err)
	}
	sh := func(line string) sandbox.Job { return sandbox.Job{Argv: []string{"sh", "-c", line}} }
	with := func(j sandbox.Job, change func(*sandbox.Job)) sandbox.Job { change(&j); return j }
	for _, c := range []struct {
		why  string
		job  sandbox.Job
		end  sandbox.End
		code int
		out  string
	}{
		{"input and files come in, and a file comes out", sandbox.Job{Argv: []string{"sh", "-c", "cat; cat a/b; echo -n c >out"}, Stdin: []byte("in"),
			Files: map[string][]byte{"a/b": []byte("file")}, Fetch: []string{"out", "missing"}}, sandbox.Exited, 0, "infile"},
		{"a status", sh("exit 3"), sandbox.Exited, 3, ""},
		{"a signal", sh("kill -9 $$"), sandbox.Signalled, 9, ""},
		{"a program of the job", sandbox.Job{Argv: []string{"./x"}, Files: map[string][]byte{"x": []byte("#!/bin/sh\necho x")}}, sandbox.Exited, 0, "x\n"},
		{"a file that is none", sandbox.Job{Argv: []string{"./x"}, Files: map[string][]byte{"x/y": nil}}, sandbox.Refused, 0, ""},
		{"the parent folder", sandbox.Job{Argv: []string{"sh"}, Files: map[string][]byte{"../x": nil}}, sandbox.Refused, 0, ""},
		{"a sleeper", with(sh("sleep 100"), func(j *sandbox.Job) { j.Limits.Wall = 50 * time.Millisecond }), sandbox.WallLimit, 0, ""},
		{"a flood", with(sh("while :; do echo abc; done"), func(j *sandbox.Job) { j.Limits.Output = 10 }), sandbox.OutputLimit, 0, "abc\nabc\nab"},
		{"time on the processor", with(sh("i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"), func(j *sandbox.Job) { j.Limits.CPU = time.Millisecond }), sandbox.CPULimit, 0, ""},
		{"a child that stays", sh("sleep 100 & echo done"), sandbox.Exited, 0, "done\n"},
	} {
		if c.job.Limits.Wall == 0 {
			c.job.Limits.Wall = 5 * time.Minute // for a busy machine
		}
		got, err := b.Run(t.Context(), c.job)
		if err != nil || got.End != c.end || got.Code != c.code || string(got.Stdout) != c.out {
			t.Errorf("%s: %+v, error %v, want %s %d, %q", c.why, got, err, c.end, c.code, c.out)
		}
		if len(c.job.Fetch) > 0 && (len(got.Fetched) != 1 || string(got.Fetched["out"]) != "c") {
			t.Errorf("%s: fetched %q", c.why, got.Fetched)
		}
	}
	if _, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"no-such-interpreter"}}); !errors.Is(err, sandbox.ErrNoProgram) {
		t.Errorf("no such program: error %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := b.Run(ctx, sh("sleep 100")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("nobody waits: error %v", err)
	}
	if left, err := os.ReadDir(b.dir); err != nil || len(left) > 0 {
		t.Errorf("%d folders of jobs are left, error %v", len(left), err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
}

func TestNothingHolds(t *testing.T) {
	strength, err := (&Unconfined{}).Probe(t.Context())
	setup := sandbox.Setup{Backend: strength.Backend}
	if err != nil || strength.Err() != nil || !setup.Trusts() || !strings.Contains(setup.String(), "no sandbox holds") {
		t.Errorf("%+v, %v, error %v", strength, &setup, err)
	}
}
