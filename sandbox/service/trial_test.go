package service

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

func TestTrialsSayHowTheyEnded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "given")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		script, out, errs, want string
	}{
		{"cat given -", "from a file\nfrom stdin\n", "", ""},
		{"echo no >&2; exit 3", "", "no\n", "the program ended: exited 3, after "},
		{"kill -9 $$", "", "", "the program ended: signalled 9, after "},
		{"while :; do :; done", "", "", "the program was ended: cpu_limit, after "},
	} {
		var out, errs strings.Builder
		trial := NewTrial()
		trial.Argv, trial.Files, trial.Stdin = []string{"sh", "-c", c.script}, []string{file}, strings.NewReader("from stdin\n")
		trial.Stdout, trial.Stderr = &out, &errs
		trial.Limits.Processes, trial.Limits.CPU, trial.Limits.Wall = 1, 200*time.Millisecond, time.Minute
		if strings.HasPrefix(c.script, "cat") {
			trial.Argv = []string{"cat", "given", "-"}
		}
		err := trial.Run(t.Context())
		if errors.Is(err, sandbox.ErrWeak) {
			continue // package native tests that nothing ran
		}
		if out.String() != c.out || errs.String() != c.errs || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %q, error %v", c.script, out.String(), errs.String(), err)
		}
	}
}

func TestATrialDoesNotWaitForASandboxThatIsAway(t *testing.T) {
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	trial := NewTrial()
	trial.Argv, trial.Stdin, trial.Sandbox.Where = []string{"true"}, strings.NewReader(""), away.URL
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // the client of a run waits for ten times as long
	defer cancel()
	if err := trial.Run(ctx); err == nil || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), away.URL) {
		t.Errorf("error %v", err)
	}
}

func TestAWeakSandboxIsShownAsOne(t *testing.T) {
	var out strings.Builder
	err := show(&out, sandbox.Strength{Layers: []sandbox.Layer{{Name: "one", Holds: true, Note: "fine"}, {Name: "another", Note: "no"}}, Lacks: []string{"a sure kill"}})
	if !errors.Is(err, sandbox.ErrWeak) || out.String() != "one      holds  fine\nanother  -      no\n" {
		t.Errorf("%q, error %v", out.String(), err)
	}
	out.Reset()
	if err := Probe(t.Context(), backend.Settings{Where: "none"}, &out); err != nil || !strings.HasPrefix(out.String(), "This is no sandbox") {
		t.Errorf("%q, error %v", out.String(), err)
	}
	if err := Probe(t.Context(), backend.Settings{}, &out); err != nil && !errors.Is(err, sandbox.ErrWeak) {
		t.Error(err)
	}
}
