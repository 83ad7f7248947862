package tasktest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldens is the number of problems of each level in a golden file.
const goldens = 2

// golden compares a few problems of each level with testdata/NAME.golden. It also checks
// that two processes make the same bytes.
func golden(t testing.TB, task quintain.Task) {
	info := task.Info()
	var got bytes.Buffer
	for level := range info.Levels {
		for i := range goldens {
			p := problem(t, task, quintain.Draw{Seed: 1, Level: level, Index: i})
			fmt.Fprintf(&got, "-- version %d level %d index %d --\n%s\n= %s\n# %s\n", info.Version, level, i, p.Prompt, solve(t, task, p), p.Instance)
		}
	}
	path := filepath.Join("testdata", info.Name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if !bytes.Equal(want, got.Bytes()) {
		t.Errorf("problems differ from %s; if that is meant, raise Version and run go test -update", path)
	}
}

var specRE = regexp.MustCompile(`(?m)^var \w+ = task\.Spec\[`)

// listed: the list holds every Spec of the package, in order, and every golden file belongs
// to a task.
func listed(t *testing.T, tasks []quintain.Task) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	defined := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		defined += len(specRE.FindAll(src, -1))
	}
	if defined != len(tasks) {
		t.Errorf("the package defines %d tasks and lists %d", defined, len(tasks))
	}
	var names []string
	for _, task := range tasks {
		names = append(names, task.Info().Name)
	}
	if !slices.IsSorted(names) {
		t.Errorf("the tasks are not listed by name: %v", names)
	}
	kept, err := filepath.Glob("testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range kept {
		if !slices.Contains(names, strings.TrimSuffix(filepath.Base(path), ".golden")) {
			t.Errorf("%s belongs to no task", path)
		}
	}
}
