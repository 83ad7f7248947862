package tasktest

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestUntestedTasksAreFound(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"other_test.go", "", "task gcd has no tests of its own: write gcd_test.go"},
		{"gcd_test.go", "tasktest.Second(t, gcd.Task(), 10, f)", "gcd_test.go lacks a table of near misses, by tasktest.Nears"},
		{"gcd_test.go", "tasktest.Nears(t, item.Score, nil)", "gcd_test.go lacks a second solver, by tasktest.Second or tasktest.Every"},
		{"gcd_test.go", "tasktest.Nears(t, item.Score, nil)\ntasktest.Second(t, gcd.Task(), 10, f)\ntasktest.NoVariants(t, gcd.Task(), why)", ""},
		{"gcd_test.go", "tasktest.Nears(t, item.Score, nil)\ntasktest.Every[item](t, gcd.Task(), 10, f)\ntasktest.Variant(t, gcd.Task(), change, vary)", ""},
		{"gcd_test.go", "tasktest.Nears(t, item.Score, nil)\ntasktest.Every(t, gcd.Task(), 10, f)\nsymmetric(t, gcd.Task(), vary)", ""},
		{"gcd_test.go", "tasktest.Nears(t, item.Score, nil)\ntasktest.Second(t, gcd.Task(), 10, f)", "gcd_test.go lacks its symmetries"},
	} {
		faults := strings.Join(untested(fstest.MapFS{test.file: {Data: []byte(test.text)}}, "gcd"), "; ")
		if !strings.Contains(faults, test.want) || test.want == "" && faults != "" {
			t.Errorf("%s with %q: faults %q, want %q", test.file, test.text, faults, test.want)
		}
	}
}
