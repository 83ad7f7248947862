package backend

import (
	"errors"
	"flag"
	"io"
	"slices"
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
