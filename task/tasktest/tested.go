package tasktest

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"testing"

	"github.com/quintain-rl/quintain"
)

// own lists the tests that each task brings itself, in the file NAME_test.go. A room whose
// puzzles have the same symmetries may hold them by a function of its own, called symmetric.
var own = []struct {
	call *regexp.Regexp
	what string
}{
	{regexp.MustCompile(`\btasktest\.Nears\(`), "a table of near misses, by tasktest.Nears"},
	{regexp.MustCompile(`\b(tasktest\.(Variant|NoVariants)\b|symmetric\()`), "its symmetries, by tasktest.Variant, or why it has none, by tasktest.NoVariants"},
	{regexp.MustCompile(`\btasktest\.(Second|Every)\b`), "a second solver, by tasktest.Second or tasktest.Every"},
}

// tested: the suite holds every task to the same promises, but only the task's own tests
// know which answers are nearly right, and another way to the solution.
func tested(t *testing.T, tasks []quintain.Task) {
	for _, task := range tasks {
		for _, fault := range untested(os.DirFS("."), task.Info().Name) {
			t.Error(fault)
		}
	}
}

// untested returns the tests that a task lacks in the folder of its package.
func untested(folder fs.FS, name string) (faults []string) {
	file := name + "_test.go"
	text, err := fs.ReadFile(folder, file)
	if err != nil {
		return []string{fmt.Sprintf("task %s has no tests of its own: write %s", name, file)}
	}
	for _, o := range own {
		if !o.call.Match(text) {
			faults = append(faults, fmt.Sprintf("%s lacks %s", file, o.what))
		}
	}
	return faults
}
