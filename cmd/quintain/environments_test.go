package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenario/external/venv"
)

// A person at a terminal is asked whether to install what lacks; nobody else is.
func TestOffer(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("PATH", t.TempDir()) // no Python, and no uv
	missing := &venv.MissingError{Wish: venv.Wish{Scheme: "textarena"}, Address: "textarena:GuessTheNumber-v0"}
	for _, c := range []struct {
		why, typed      string
		stdin, terminal bool
		asked, installs bool
	}{
		{"no", "n\n", true, true, true, false},
		{"something else", "why?\n", true, true, true, false},
		{"yes", "Y\nnext", true, true, true, true},
		{"the default", "\nnext", true, true, true, true},
		{"no terminal to read from", "y\n", false, true, false, false},
		{"no terminal to ask on", "y\n", true, false, false, false},
	} {
		var out bytes.Buffer
		in := strings.NewReader(c.typed)
		err := offer(t.Context(), &world{stdin: in, stderr: &out, typed: c.stdin, terminal: c.terminal}, missing)
		if asked := strings.Contains(out.String(), "textarena is not installed here. Install textarena "); asked != c.asked {
			t.Errorf("%s: it prints %q", c.why, out.String())
		}
		if refused := errors.Is(err, missing); err == nil || refused == c.installs {
			t.Errorf("%s: error %v, want an installation: %v", c.why, err, c.installs)
		}
		if c.installs && in.Len() != len("next") {
			t.Errorf("%s: it reads %d bytes too many", c.why, len("next")-in.Len())
		}
	}
	if text := missing.Error(); !strings.Contains(text, "quintain environments install textarena:GuessTheNumber-v0") {
		t.Errorf("the error is %q", text)
	}
}
