package native

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

// open makes a folder with files in an empty parent.
func openFolder(t *testing.T, files map[string][]byte) *jobDir {
	t.Helper()
	f, err := newJobDir(t.TempDir(), -1, files)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// gone checks that Remove leaves nothing.
func gone(t *testing.T, f *jobDir) {
	t.Helper()
	if err := f.Remove(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(f.Path))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
}

func TestFoldersHoldTheFiles(t *testing.T) {
	f := openFolder(t, map[string][]byte{"a": []byte("1"), "b/c/d": {0, 0xff}})
	if got := f.Fetch([]string{"a", "b/c/d", "b", "none"}, 3); len(got) != 2 || string(got["a"]) != "1" || string(got["b/c/d"]) != "\x00\xff" {
		t.Errorf("%q", got)
	}
	if got := f.Fetch([]string{"a", "b/c/d"}, 2); len(got) != 1 {
		t.Errorf("%q are within two bytes", got)
	}
	if bytes, files := f.Use(sandbox.Limits{}.Filled()); bytes != 3 || files != 4 {
		t.Errorf("%d bytes in %d files", bytes, files)
	}
	gone(t, f)
}

func TestLinksLeadNowhere(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := openFolder(t, nil)
	for name, to := range map[string]string{"link": secret, "folder": filepath.Dir(secret)} {
		if err := os.Symlink(to, filepath.Join(f.Path, name)); err != nil {
			t.Fatal(err)
		}
	}
	if got := f.Fetch([]string{"link", "folder/secret"}, 100); len(got) > 0 {
		t.Errorf("%q", got)
	}
	gone(t, f)
	if _, err := os.Stat(secret); err != nil {
		t.Error(err)
	}
}

func TestAnyFolderIsRemoved(t *testing.T) {
	f := openFolder(t, map[string][]byte{"shut/in/here": nil, "quintain-moved-1": nil})
	for _, name := range []string{"shut/in", "shut", "."} {
		if err := os.Chmod(filepath.Join(f.Path, name), 0); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, f)

	f = openFolder(t, nil)
	at, err := os.OpenRoot(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range depth { // deeper than any path
		name := "a-long-name-of-a-folder-" + strconv.Itoa(i)
		if err := at.Mkdir(name, 0o700); err != nil {
			t.Fatal(err)
		}
		below, err := at.OpenRoot(name)
		if err != nil {
			t.Fatal(err)
		}
		at.Close()
		at = below
	}
	at.Close()
	gone(t, f)
}

func TestUseStopsAtALimit(t *testing.T) {
	f := openFolder(t, map[string][]byte{"a": nil, "b": nil, "c": nil, "d": []byte("12345")})
	if _, files := f.Use(sandbox.Limits{Files: 2, Disk: 100}); files != 3 {
		t.Errorf("%d files were counted", files)
	}
	if bytes, _ := f.Use(sandbox.Limits{Files: 100, Disk: 2}); bytes != 5 {
		t.Errorf("%d bytes were counted", bytes)
	}
	gone(t, f)
}
