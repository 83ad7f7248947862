package backend

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

func TestFlagsSetTheSandbox(t *testing.T) {
	var s Settings
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	s.AddTo(f)
	if err := f.Parse([]string{"--sandbox", "native", "--sandbox-read", "/a", "--sandbox-read", "/b"}); err != nil {
		t.Fatal(err)
	}
	if s.Kind != "native" || !slices.Equal(s.Read, []string{"/a", "/b"}) {
		t.Errorf("%+v", s)
	}
	if err := f.Parse([]string{"--sandbox", "none"}); err == nil {
		t.Error("there is no such sandbox, and no error")
	}
}

func TestASandboxIsStrongOrAnError(t *testing.T) {
	box, err := Open(t.Context(), Settings{})
	if errors.Is(err, sandbox.ErrWeak) && box == nil {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if strength, err := box.Probe(t.Context()); err != nil || strength.Err() != nil {
		t.Errorf("open, but %+v, error %v", strength, err)
	}
	if err := box.Close(); err != nil {
		t.Error(err)
	}
	if box, err := New(t.Context(), Settings{Kind: "unknown"}); err == nil || box != nil {
		t.Errorf("%v, error %v", box, err)
	}
}

// A sandbox that is too weak stays the one that was chosen, and the error says what would run.
func TestNoOtherSandboxTakesOver(t *testing.T) {
	weak := sandbox.Strength{Lacks: []string{"a sure kill"}}
	for _, c := range []struct {
		settings Settings
		hint     bool
	}{{Settings{}, false}, {Settings{PythonFile: "python.wasm"}, true}, {Settings{Kind: "wasm", PythonFile: "python.wasm"}, false}} {
		err := c.settings.floor(weak)
		if !errors.Is(err, sandbox.ErrWeak) || strings.Contains(err.Error(), "--sandbox wasm") != c.hint {
			t.Errorf("%+v: error %v", c.settings, err)
		}
	}
	if err := (Settings{}).floor(sandbox.Strength{}); err != nil {
		t.Error(err)
	}
	for want, s := range map[string]Settings{"--sandbox-python": {Kind: "wasm"}, "none.wasm": {Kind: "wasm", PythonFile: "none.wasm"}} {
		if box, err := Open(t.Context(), s); err == nil || box != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, error %v, want %q", box, err, want)
		}
	}
}

func TestSandboxesElsewhere(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		settings Settings
		want     string // part of the error; empty: none
	}{
		{Settings{Kind: "remote", Elsewhere: Elsewhere{URLs: []string{"http://127.0.0.1:1"}}}, ""},
		{Settings{Kind: "remote"}, "needs an address"},
		{Settings{Kind: "remote", Elsewhere: Elsewhere{URLs: []string{"127.0.0.1"}}}, "not like http"},
		{Settings{Kind: "remote", Elsewhere: Elsewhere{URLs: []string{"http://a:b@c"}}}, "not like http"},
		{Settings{Kind: "remote", Elsewhere: Elsewhere{URLs: []string{"http://127.0.0.1:1"}, KeyFile: key}}, "is empty"},
		{Settings{Kind: "remote", Elsewhere: Elsewhere{URLs: []string{"http://127.0.0.1:1"}, KeyFile: key + "s"}}, "key_file"},
		{Settings{Kind: "command"}, "--sandbox-command bwrap"},
		{Settings{Kind: "command", Elsewhere: Elsewhere{Command: "x"}}, "0 words {argv}"},
		{Settings{Kind: "command", Elsewhere: Elsewhere{Command: "bwrap", URLs: []string{"http://127.0.0.1:1"}}}, "is for --sandbox remote"},
	} {
		box, err := New(t.Context(), c.settings)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || (box == nil) != (err != nil) {
			t.Errorf("%+v: %v, error %v", c.settings, box, err)
		}
		if box != nil {
			if err := box.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := (&Settings{Kind: "native", Elsewhere: Elsewhere{Command: "bwrap"}}).Check(); err == nil {
		t.Error("a command without its sandbox is allowed")
	}
}
