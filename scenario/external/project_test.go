package external

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "Count-letters")
	files, err := Project{Dir: dir}.Write()
	if want := []string{"AGENTS.md", "README.md", "quintain.yaml", "scenario.py", "test_scenario.py"}; err != nil || !slices.Equal(files, want) {
		t.Fatalf("%v, error %v, want %v", files, err, want)
	}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "NAME") || strings.Contains(string(text), "PYTHON") {
			t.Errorf("%s has a word to fill in:\n%s", name, text)
		}
		if name == "scenario.py" && !strings.Contains(string(text), "def count_letters(problem)") {
			t.Errorf("the scenario is not named after the folder:\n%s", text)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	full, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	for _, path := range []string{filepath.Join(full, "thesis.tex"), file} {
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		why  string
		of   Project
		says string
	}{
		{"a folder with files", Project{Dir: full, Name: "mine"}, "has files, thesis.tex among them: want a folder that is new or empty"},
		{"a file", Project{Dir: file, Name: "mine"}, "file"},
		{"a name with capitals", Project{Dir: full, Name: "Mine"}, `--name: is "Mine"`},
		{"a word of Python", Project{Dir: full, Name: "class"}, `--name: is "class"`},
		{"a name of the file itself", Project{Dir: full, Name: "solution"}, `--name: is "solution"`},
		{"a folder whose name is none", Project{Dir: filepath.Join(full, "1st")}, `"1st", which is no name for a scenario: give it one with --name`},
	} {
		if files, err := c.of.Write(); err == nil || !strings.Contains(err.Error(), c.says) || len(files) > 0 {
			t.Errorf("%s: %v, error %v, want %q", c.why, files, err, c.says)
		}
	}
	if entries, err := os.ReadDir(full); err != nil || len(entries) != 1 {
		t.Errorf("%v are there, error %v, want the file alone", entries, err)
	}
}
