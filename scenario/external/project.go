package external

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/datadir"
)

//go:embed python
var templates embed.FS

//go:embed python/AGENTS.md
var agents string

// Agents returns what a coding agent reads to write, check and run a scenario, as a skill: Markdown below a name and a
// description in YAML.
func Agents() string { return agents }

// A Project is a scenario that somebody begins, a program in Python.
type Project struct {
	Dir  string // is made if it does not exist, and has no files
	Name string // of the scenario; empty: that of the folder
}

// projectName is the form of a scenario's name, which is a name in Python too.
var projectName = compiled.Regexp(`^[a-z][a-z0-9_]{0,39}$`)

// keywords are the words of Python that are no names, and the names of the template.
const keywords = " and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield quintain letters solution problem reply reward "

// Write writes the files, and returns their names. On an error, the folder may have some of them.
func (p Project) Write() (files []string, err error) {
	called, err := p.scenario()
	if err != nil {
		return nil, err
	}
	if err := mustBeEmpty(p.Dir); err != nil {
		return nil, err
	}
	if err := datadir.MakeFolder(p.Dir); err != nil {
		return nil, err
	}
	python := "python3"
	if runtime.GOOS == "windows" {
		python = "python"
	}
	fill := strings.NewReplacer("NAME", called, "PYTHON", python)
	entries, err := templates.ReadDir("python")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := templates.ReadFile(path.Join("python", e.Name()))
		if err != nil {
			return files, err
		}
		if err := datadir.WriteFile(filepath.Join(p.Dir, e.Name()), []byte(fill.Replace(string(text)))); err != nil {
			return files, err
		}
		files = append(files, e.Name())
	}
	return files, nil
}

// scenario returns the name of the scenario.
func (p Project) scenario() (string, error) {
	if p.Name != "" {
		if !projectName().MatchString(p.Name) || reserved(p.Name) {
			return "", fmt.Errorf("--name: is %q, want 1 to 40 letters of a-z, 0-9 and _, a letter first, and no word of Python", p.Name)
		}
		return p.Name, nil
	}
	full, err := filepath.Abs(p.Dir)
	if err != nil {
		return "", err
	}
	called := strings.Map(func(r rune) rune {
		if r == '-' || r == ' ' || r == '.' {
			return '_'
		}
		return r
	}, strings.ToLower(filepath.Base(full)))
	if !projectName().MatchString(called) || reserved(called) {
		return "", fmt.Errorf("the folder is called %q, which is no name for a scenario: give it one with --name, of a-z, 0-9 and _", filepath.Base(full))
	}
	return called, nil
}

// reserved reports whether a word means something else in the file.
func reserved(word string) bool { return strings.Contains(keywords, " "+word+" ") }

// mustBeEmpty refuses a folder with files.
func mustBeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s: has files, %s among them: want a folder that is new or empty", dir, entries[0].Name())
	}
	return nil
}
