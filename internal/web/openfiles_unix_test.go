//go:build unix

package web

import (
	"bytes"
	"log/slog"
	"strings"
	"syscall"
	"testing"
)

// The files of a small limit are shared out: what calls take is at most half of what connections may.
func TestASmallLimitIsSharedOut(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	now := before
	now.Cur = 400
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &now); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
			t.Error(err)
		}
	}()
	if n := FilesForConnections(); n != 300 {
		t.Errorf("%d for connections, want 300", n)
	}
	for want, n := range map[int]int{1: 1, 150: 150, 1000: 150, 0: 1} {
		if got := FilesForCalls(want); got != n {
			t.Errorf("%d for %d calls, want %d", got, want, n)
		}
	}
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	if WarnOfFiles(log, "most", 300, 300); said.Len() > 0 {
		t.Errorf("it warns of enough: %s", said.Bytes())
	}
	if WarnOfFiles(log, "most", 301, 300); !strings.Contains(said.String(), "below most") || !strings.Contains(said.String(), "allowed=300") {
		t.Errorf("it says %q", said.Bytes())
	}
}
