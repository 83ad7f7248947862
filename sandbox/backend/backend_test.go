package backend

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	if s.Where != "native" || !slices.Equal(s.Read, []string{"/a", "/b"}) {
		t.Errorf("%+v", s)
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
}

func TestWhereProgramsRun(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const url = "http://127.0.0.1:1"
	for _, c := range []struct {
		settings Settings
		want     string // part of the error; empty: none
	}{
		{Settings{}, ""},
		{Settings{Where: "none"}, ""},
		{Settings{Where: url}, ""},
		{Settings{Where: url + ",https://sandbox.example"}, ""},
		{Settings{Where: "docker"}, "want native, none, or an address"},
		{Settings{Where: "127.0.0.1"}, "docs/sandbox.md"},
		{Settings{Where: url + ",native"}, "want native, none, or an address"},
		{Settings{Where: "http://a:b@c"}, "has a user name"},
		{Settings{Where: url, KeyFile: key}, "is empty"},
		{Settings{Where: url, KeyFile: key + "s"}, "key_file"},
	} {
		box, err := New(c.settings)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) || (box == nil) != (err != nil) {
			t.Errorf("%+v: %v, error %v", c.settings, box, err)
		}
		if box != nil {
			if err := box.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// A sandbox that is too weak stays the one that was chosen, and the error says what would run.
func TestNoOtherSandboxTakesOver(t *testing.T) {
	weak := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"backend": "native", "lacks": ["a sure kill"]}`)
	}))
	defer weak.Close()
	box, err := Open(t.Context(), Settings{Where: weak.URL})
	if !errors.Is(err, sandbox.ErrWeak) || box != nil || !strings.Contains(err.Error(), "--sandbox http://HOST:PORT: docs/sandbox.md") {
		t.Errorf("%v, error %v", box, err)
	}
}
