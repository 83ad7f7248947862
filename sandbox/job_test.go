package sandbox

import (
	"strings"
	"testing"
	"time"
)

func TestJobsAreChecked(t *testing.T) {
	file := func(name string) Job { return Job{Argv: []string{"x"}, Files: map[string][]byte{name: nil}} }
	for _, c := range []struct {
		why  string
		job  Job
		want string // part of the error; empty: none
	}{
		{"a name", file("a/b.py"), ""},
		{"odd letters", file("ä b\n\xff"), ""},
		{"a name that begins with dots", file("..a"), ""},
		{"the parent", file("../a"), "plain relative"},
		{"the parent within", file("a/../../b"), "plain relative"},
		{"two spellings", file("a//b"), "plain relative"},
		{"the folder itself", file("."), "plain relative"},
		{"no name", file(""), "plain relative"},
		{"absolute", file("/etc/passwd"), "plain relative"},
		{"NUL", file("a\x00b"), "plain relative"},
		{"a backslash", file(`..\a`), "plain relative"},
		{"a long name", file(strings.Repeat("a/", 600) + "b"), "1201 bytes"},
		{"a file that is a folder", Job{Argv: []string{"x"}, Files: map[string][]byte{"a/b/c": nil, "a": nil}}, "file and a folder"},
		{"a fetched name", Job{Argv: []string{"x"}, Fetch: []string{"../a"}}, "plain relative"},
		{"no program", Job{}, "no program"},
		{"NUL in an argument", Job{Argv: []string{"x", "a\x00"}}, "NUL"},
		{"long arguments", Job{Argv: []string{"x", strings.Repeat("a", maxArgv)}}, "at most 102400"},
		{"large files", Job{Argv: []string{"x"}, Files: map[string][]byte{"a": []byte("ab")}, Limits: Limits{Disk: 1}}, "2 bytes"},
		{"many files", Job{Argv: []string{"x"}, Files: map[string][]byte{"a": nil, "b": nil}, Limits: Limits{Files: 1}}, "2 files"},
	} {
		err := c.job.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.why, err, c.want)
		}
	}
}

func TestLimitsAreFilledAndChecked(t *testing.T) {
	got := Limits{CPU: 2 * time.Second, Processes: 100}.Filled()
	if got.Wall != 7*time.Second || got.Threads != 100 || got.Memory != 512<<20 {
		t.Errorf("filled %+v", got)
	}
	if err := got.Check(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Limits{{CPU: -1}, {Wall: 1 << 62}, {Memory: -5}, {Output: 1 << 33}, {Open: -1}} {
		if bad.Check() == nil {
			t.Errorf("%+v is allowed", bad)
		}
	}
}

func TestHashSeedsAreAccepted(t *testing.T) {
	for seed, want := range map[uint64]uint32{0: 0, 7: 7, 1<<32 - 2: 1<<32 - 2, 1<<32 - 1: 0} {
		if got := (Job{Seed: seed}).HashSeed(); got != want {
			t.Errorf("seed %d: %d, want %d", seed, got, want)
		}
	}
}

func TestStrengthNamesItsLayers(t *testing.T) {
	s := Strength{Layers: []Layer{{Name: "a", Holds: true}, {Name: "b"}}}
	if !s.Holds("a") || s.Holds("b") || s.Holds("c") {
		t.Errorf("%+v", s)
	}
}
