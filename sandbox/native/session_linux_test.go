//go:build amd64 || arm64

package native

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

func TestSandboxSessions(t *testing.T) {
	if zygoteBox(t, isolated) == nil {
		return
	}
	sandboxtest.Sessions(t, func(t *testing.T, dir string, grace time.Duration) sandbox.Opener {
		return openWith(t, Config{Dir: dir, Zygote: isolated, Grace: grace})
	})
}

// openSession opens a session that the test closes.
func openSession(t *testing.T, b *Box) *session {
	t.Helper()
	s, err := b.Open(t.Context(), sandbox.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.(*session)
}

// Sessions that run at once do not mix.
func TestSandboxSessionsAtOnce(t *testing.T) {
	b := zygoteBox(t, isolated)
	if b == nil {
		return
	}
	var all sync.WaitGroup
	for n := range 10 {
		s := openSession(t, b)
		all.Go(func() {
			for i := range 5 {
				cell := fmt.Sprintf("x = globals().get('x', %d) + 1; x", 100*n)
				got, err := s.Run(t.Context(), cell, sandbox.Limits{})
				if want := fmt.Sprintln(100*n + i + 1); err != nil || string(got.Stdout) != want {
					t.Errorf("%+v, error %v, want %s", got, err, want)
				}
			}
		})
	}
	all.Wait()
}

// A session that loses its zygote has an error, which says nothing about the cell, and is over. A cell
// after the end of the process by its own doing has a result.
func TestSandboxSessionsThatEnd(t *testing.T) {
	b := zygoteBox(t, isolated)
	if b == nil {
		return
	}
	own, lost := openSession(t, b), openSession(t, b)
	if got, err := own.Run(t.Context(), "import os; os.write(3, bytes(4)); os._exit(3)", sandbox.Limits{}); err != nil {
		t.Errorf("%+v, error %v", got, err)
	}
	for range 2 { // the forged status may have come before the end
		if got, err := own.Run(t.Context(), "1", sandbox.Limits{}); !errors.Is(err, sandbox.ErrOver) && (err != nil || !got.Over) {
			t.Errorf("%+v, error %v", got, err)
		}
	}
	one, _ := readProcess(lost.pid)
	if err := unix.Kill(one.Parent, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-b.zygotes.all[0].lost
	if got, err := lost.Run(t.Context(), "1", sandbox.Limits{}); err == nil || errors.Is(err, sandbox.ErrOver) {
		t.Errorf("%+v, error %v", got, err)
	}
	if _, err := lost.Run(t.Context(), "1", sandbox.Limits{}); !errors.Is(err, sandbox.ErrOver) {
		t.Errorf("error %v", err)
	}
	if got, err := openSession(t, b).Run(t.Context(), "1", sandbox.Limits{}); err != nil || string(got.Stdout) != "1\n" {
		t.Errorf("%+v, error %v", got, err)
	}
}

// A box without a zygote has no sessions.
func TestSandboxSessionsNeedZygote(t *testing.T) {
	if b := zygoteBox(t, nil); b != nil {
		if _, err := b.Open(t.Context(), sandbox.Spec{}); err == nil {
			t.Error("no error")
		}
	}
}
