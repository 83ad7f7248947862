package datadir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// The name of each new folder is made durable, by a sync of the folder that has it.
func TestMakeFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, test := range []struct {
		why  string
		path string
		fail error
		want []string
		ok   bool
	}{
		{"three new ones", "a/b/c", nil, []string{"", "a", "a/b"}, true},
		{"its name may not be durable yet", "a/b/c", nil, []string{"a/b"}, true},
		{"one new one", "a/b/d", nil, []string{"a/b"}, true},
		{"a folder that others own", "e", fs.ErrPermission, []string{""}, true},
		{"a system that syncs no folders", "f", &fs.PathError{Err: syscall.EINVAL}, []string{""}, true},
		{"a broken disk", "g/h", syscall.EIO, []string{""}, false},
	} {
		var synced []string
		err := makeFolder(filepath.Join(dir, test.path), func(path string) error {
			below, err := filepath.Rel(dir, path)
			synced = append(synced, filepath.ToSlash(below))
			return errors.Join(err, test.fail)
		})
		for i := range test.want {
			test.want[i] = filepath.ToSlash(filepath.Clean(test.want[i]))
		}
		if (err == nil) != test.ok || !slices.Equal(synced, test.want) {
			t.Errorf("%s: synced %q, error %v; want %q", test.why, synced, err, test.want)
		}
		if info, err := os.Stat(filepath.Join(dir, test.path)); test.ok && (err != nil || !info.IsDir()) {
			t.Errorf("%s: there is no folder: %v", test.why, err)
		}
	}
}
