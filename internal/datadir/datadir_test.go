package datadir_test

import (
	"os"
	"path/filepath"
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
