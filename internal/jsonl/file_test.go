//go:build unix

package jsonl_test

import (
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

func TestTextsOfPeople(t *testing.T) {
	for _, test := range []struct{ why, text, want, fails string }{
		{"plain", "caf\u00e9\n", "caf\u00e9\n", ""},
		{"a byte order mark", "\ufeffa\r\n", "a\r\n", ""},
		{"a second one is text", "\ufeff\ufeff", "\ufeff", ""},
		{"Latin-1", "a\nb\ncaf\xe9\n", "", ": line 3: byte 4, 0xe9, is not UTF-8: write the text anew as UTF-8"},
		{"UTF-16", "\xff\xfea\x00", "", ": line 1: byte 1, 0xff, is not UTF-8"},
		{"longer than any such file", strings.Repeat("x", 101), "", " has more than 100 bytes"},
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := jsonl.ReadText(path, 100)
		if string(got) != test.want || (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%s: %q, error %v", test.why, got, err)
		}
	}
	if _, err := jsonl.ReadText(t.TempDir(), 100); err == nil || !strings.Contains(err.Error(), "is a folder, want a file") {
		t.Errorf("a folder: error %v", err)
	}
}

func TestAPipeIsReadOnceAndMayBeReadAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	wrote := make(chan error)
	go func() { wrote <- os.WriteFile(path, []byte("rows"), 0) }()
	f, err := jsonl.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := io.ReadAll(io.NewSectionReader(f, 0, 9)); string(got) != "rows" || err != nil {
			t.Errorf("%q, error %v", got, err)
		}
	}
}

func TestASignalEndsTheWaitForAPipe(t *testing.T) {
	own := make(chan os.Signal, 1) // so that none ends the test
	signal.Notify(own, syscall.SIGTERM)
	defer signal.Stop(own)
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, why := range []string{"nobody writes", "the writer is silent"} {
		over := make(chan error)
		go func() {
			_, err := jsonl.Open(path)
			over <- err
		}()
		if why != "nobody writes" {
			writer, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the reader
			if err != nil {
				t.Fatal(err)
			}
			defer writer.Close()
		}
		for done := false; !done; runtime.Gosched() { // until it listens
			if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			<-own // or it would end the test once own is stopped
			select {
			case err := <-over:
				if done = true; err == nil || !strings.Contains(err.Error(), "interrupted while waiting for the pipe") {
					t.Errorf("%s: error %v", why, err)
				}
			default:
			}
		}
	}
}
