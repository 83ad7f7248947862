package datadir_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/datadir"
)

func TestOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b")
	f, err := datadir.Open(path, "v1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := datadir.Open(path, "v1"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a folder in use is opened: error %v", err)
	}
	if err := f.Tell("http://127.0.0.1:8000"); err != nil {
		t.Fatal(err)
	}
	if _, err := datadir.Open(path, "v1"); err == nil || !strings.Contains(err.Error(), "another process uses it, on http://127.0.0.1:8000; stop that one") {
		t.Errorf("of a folder in use by a hub: error %v", err)
	}
	if err := os.Remove(filepath.Join(path, "lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := datadir.Open(path, "v1"); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a folder in use without its lock is opened: error %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := datadir.Open(path, "v2")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(again.Join("format.json")); err != nil || string(text) != `{"format":2,"writer":"v1"}`+"\n" {
		t.Errorf("format.json is %s, error %v", text, err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ format, want string }{
		{`{"format":1,"writer":"old"}`, "format 1 (written by quintain old)"},
		{`{"format":3,"writer":"new"}`, "format 3"},
		{`{`, "format.json"},
	} {
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, "format.json"), []byte(test.format), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first attempt leaves no lock
			if _, err := datadir.Open(path, "v"); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %q", test.format, err, test.want)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := datadir.Open(file, "v"); err == nil {
		t.Error("a file is opened as a folder")
	}
}

func TestWriteFileLeavesTheOldOneWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	for _, text := range []string{"one", "two"} {
		if err := datadir.WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("read %q, error %v", got, err)
		}
	}
	if err := datadir.WriteFile(filepath.Join(path, "below a file"), nil); err == nil {
		t.Error("no error")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files are left, error %v", len(entries), err)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	make := func(paths ...string) {
		for _, path := range paths {
			if err := os.MkdirAll(filepath.Join(dir, path), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() (names []string) {
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list {
			names = append(names, e.Name())
		}
		return names
	}
	make("a/sub", "a.removed/rest of an earlier one", "b")
	if err := datadir.Remove(filepath.Join(dir, "a")); err != nil || !slices.Equal(left(), []string{"b"}) {
		t.Errorf("%v are left, error %v, want b", left(), err)
	}
	if err := datadir.Remove(filepath.Join(dir, "a")); err == nil {
		t.Error("what is not there is removed")
	}
	make("c.removed/sub", "d.removed")
	if err := datadir.Sweep(dir); err != nil || !slices.Equal(left(), []string{"b"}) {
		t.Errorf("%v are left after the sweep, error %v, want b", left(), err)
	}
	if err := datadir.Sweep(filepath.Join(dir, "none")); err != nil {
		t.Errorf("a missing folder: %v", err)
	}
}

// A process that is being started holds the files of this one until its program runs.
func TestAClosedLockIsFreeWhileProcessesStart(t *testing.T) {
	dir, ends := t.TempDir(), make(chan error, 4)
	for range 4 {
		go func() {
			var err error
			for range 50 {
				err = errors.Join(err, exec.Command(os.Args[0], "-test.run=^$").Run())
			}
			ends <- err
		}()
	}
	for ended := 0; ended < 4; {
		lock, err := datadir.Lock(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := lock.Close(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ends:
			if err != nil {
				t.Error(err)
			}
			ended++
		default:
		}
	}
}
