package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Folders that are no control groups, or lack something, are errors, and nothing is left in them. Real
// groups are tried by conformance/sandbox/kernels.
func TestFoldersThatAreNoControlGroups(t *testing.T) {
	for _, c := range []struct {
		files map[string]string
		want  string // part of the error
	}{
		{nil, "no folder of control groups"},
		{map[string]string{"cgroup.controllers": "cpu io\n"}, "lacks the controller memory; it has cpu, io"},
		{map[string]string{"cgroup.controllers": "cpu memory\n"}, "lacks the controller pids"},
		{map[string]string{"cgroup.controllers": "cpu memory pids\n"}, "cgroup.subtree_control"},
		{map[string]string{"cgroup.controllers": "memory pids\n", "cgroup.subtree_control": ""}, "memory.max"},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p, err := openCgroups(dir)
		if err == nil || p != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, error %v, want %q", c.files, p, err, c.want)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, groupPrefix+"*")); len(left) > 0 {
			t.Errorf("%v: %v is left", c.files, left)
		}
	}
}

// Without a group there is nothing to enter, and nothing to remove.
func TestNoGroup(t *testing.T) {
	var g *cgroup
	if g.Add(1) != nil || g.Starved() || g.Remove() != nil {
		t.Error("no group does something")
	}
}

// A group whose process is gone is removed by the next one, and that of one that lives stays.
func TestGroupsOfProcessesThatAreGone(t *testing.T) {
	dir := t.TempDir()
	gone, living := filepath.Join(dir, groupPrefix+"4194305-1"), filepath.Join(dir, groupPrefix+"1-1") // above the kernel's largest number of a process
	for _, g := range []string{gone, living} {
		if err := os.Mkdir(g, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	(&cgroups{dir: dir}).sweep()
	if _, err := os.Stat(gone); !os.IsNotExist(err) {
		t.Errorf("the group of a process that is gone: %v", err)
	}
	if _, err := os.Stat("/proc/1"); err != nil {
		return // no Linux: all are gone
	}
	if _, err := os.Stat(living); err != nil {
		t.Error(err)
	}
}
