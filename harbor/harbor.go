// Package harbor reads tasks in the format of Harbor (Apache-2.0; the code is our own): folders with task.toml,
// instruction.md, environment/, tests/ and perhaps solution/. It reads the rewards that their tests leave, and
// finds by reading what is wrong with a task. It starts nothing.
package harbor

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
)

// Names in the folder of a task.
const (
	ConfigFile  = "task.toml"
	Instruction = "instruction.md"
	Environment = "environment"
	Tests       = "tests"
	TestScript  = "test.sh" // in Tests
	Solution    = "solution"
	SolveScript = "solve.sh" // in Solution
)

// A Task is a folder in the format. It does not change once it is read.
type Task struct {
	Name   string // path of its folder below that of the data set, with slashes
	Dir    string
	Config Config
	Ask    string // the instruction, without the lines that mark it as of a benchmark
	Solved bool   // it has a solution
	Hash   string // of its files, names, kinds and modes, in hexadecimal digits: what decides how it plays
}

// A Refusal says why a task is not played though Harbor might.
type Refusal struct {
	File string // of the task
	Word string // the field, or what stands in the file
	Why  string
}

// Error implements error.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %s: %s", r.File, r.Word, r.Why) }

// Bounds of what is read.
const (
	mostConfig = 1 << 20 // bytes of task.toml, and of the instruction
	mostFiles  = 20_000  // of a task
	mostBytes  = 2 << 30 // of all of them
)

// Find returns the names of the tasks below a folder, sorted: the paths of the folders that have a task.toml,
// with slashes; for a folder that is a task itself, its own name. Tasks have no tasks below them, and links are
// not followed.
func Find(folder string) (names []string, err error) {
	err = filepath.WalkDir(folder, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if at != folder && strings.HasPrefix(e.Name(), ".") {
			return fs.SkipDir
		}
		if _, err := os.Lstat(filepath.Join(at, ConfigFile)); err != nil {
			return nil //nolint:nilerr // a folder above tasks
		}
		name, err := filepath.Rel(folder, at)
		if name == "." {
			var whole string
			whole, err = filepath.Abs(folder)
			name = filepath.Base(whole)
		}
		if err != nil {
			return err
		}
		names = append(names, filepath.ToSlash(name))
		return fs.SkipDir
	})
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("%s has no tasks: want folders with a %s", folder, ConfigFile)
	}
	slices.Sort(names)
	return names, err
}

// At returns the folder of a task that [Find] named.
func At(folder, name string) string {
	if _, err := os.Lstat(filepath.Join(folder, ConfigFile)); err == nil {
		return folder
	}
	return filepath.Join(folder, filepath.FromSlash(name))
}

// Read reads a task that [Find] named. The error is a [*Refusal] if the task asks for what is not played; else it names the file
// and, of task.toml, the line.
func Read(folder, name string) (*Task, error) {
	t := &Task{Name: name, Dir: At(folder, name)}
	text, err := readText(filepath.Join(t.Dir, ConfigFile))
	if err != nil {
		return nil, err
	}
	if t.Config, err = ReadConfig(text); err != nil {
		return nil, err
	}
	if text, err = readText(filepath.Join(t.Dir, Instruction)); err != nil {
		return nil, err
	}
	t.Ask = uncanaried(string(text))
	if err := t.parts(); err != nil {
		return nil, err
	}
	t.Hash, err = t.hash()
	return t, err
}

// errMissing is that there is no such file.
var errMissing = errors.New("is missing")

// readText reads a short file. The error names it without its folder.
func readText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = errMissing
		}
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostConfig+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	case len(text) > mostConfig:
		return nil, fmt.Errorf("%s: has more than %d bytes", filepath.Base(path), mostConfig)
	}
	return text, nil
}

// canary matches a line that marks an instruction as of a benchmark.
var canary = compiled.Regexp(`(?i)^\s*(<!--.*canary.*-->|#.*canary.*)\s*$`)

// uncanaried cuts leading lines that are canaries, and the empty lines after them.
func uncanaried(text string) string {
	cut := false
	for rest := text; ; {
		line, after, more := strings.Cut(rest, "\n")
		switch {
		case canary().MatchString(line):
			cut = true
		case !cut || strings.TrimSpace(line) != "":
			return rest
		}
		if rest = after; !more {
			return rest
		}
	}
}

// parts looks for the parts of a task that are needed, or not played.
func (t *Task) parts() error {
	has := func(name string) bool {
		info, err := os.Stat(filepath.Join(t.Dir, filepath.FromSlash(name)))
		return err == nil && !info.IsDir()
	}
	for _, name := range []string{"trajectory.json", ".harborignore", Tests + "/.harborignore", Solution + "/.harborignore"} {
		if has(name) {
			return &Refusal{name, "the file", "is not supported"}
		}
	}
	if err := t.readCompose(); err != nil {
		return err
	}
	switch test := Tests + "/" + TestScript; {
	case !has(test) && has(Tests+"/test.bat"):
		return &Refusal{Tests + "/test.bat", "the file", "Windows is not supported"}
	case !has(test):
		return fmt.Errorf("%s: is missing", test)
	}
	t.Solved = has(Solution + "/" + SolveScript)
	return nil
}

// A File is one of a task.
type File struct {
	Name string // below the folder that is walked, with slashes
	Path string // of the file itself; a link's is that of its target
	Info fs.FileInfo
}

// Walk calls each with every file below a folder of a task, in order; it is no error if there is none. Links are
// followed, and must stay in the task.
func (t *Task) Walk(folder string, each func(File) error) error {
	root, err := filepath.EvalSymlinks(t.Dir)
	if err != nil {
		return err
	}
	w := walk{root: root, each: each}
	from := filepath.Join(root, filepath.FromSlash(folder))
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := w.at(from, "", nil); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return nil
}

// A walk goes through a task's files.
type walk struct {
	root  string
	each  func(File) error
	files int
	bytes int64
}

// at walks what stands at path, as name. above are the folders that it stands in, their links resolved.
func (w *walk) at(path, name string, above []string) error {
	place, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	if in, err := filepath.Rel(w.root, place); err != nil || !filepath.IsLocal(in) {
		return fmt.Errorf("%s: is a link out of the task", name)
	}
	info, err := os.Lstat(place)
	switch {
	case err != nil:
		return err
	case info.IsDir() && slices.Contains(above, place):
		return fmt.Errorf("%s: is a link to a folder above it", name)
	case info.IsDir():
		return w.folder(place, name, append(slices.Clip(above), place))
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is no file, folder or link", name)
	}
	if w.files, w.bytes = w.files+1, w.bytes+info.Size(); w.files > mostFiles || w.bytes > mostBytes {
		return fmt.Errorf("has more than %d files or %d bytes", mostFiles, int64(mostBytes))
	}
	return w.each(File{name, place, info})
}

// folder walks a folder.
func (w *walk) folder(place, name string, above []string) error {
	entries, err := os.ReadDir(place) // sorted
	if err != nil {
		return err
	}
	for _, e := range entries {
		below := e.Name()
		if name != "" {
			below = name + "/" + below
		}
		if err := w.at(filepath.Join(place, e.Name()), below, above); err != nil {
			return err
		}
	}
	return nil
}

// hash returns the hash of the files that decide how a task plays.
func (t *Task) hash() (string, error) {
	sum := sha256.New()
	for _, part := range []string{ConfigFile, Instruction, Environment, Tests, Solution} {
		err := t.Walk(part, func(f File) error {
			from, err := os.Open(f.Path)
			if err != nil {
				return err
			}
			defer from.Close()
			fmt.Fprintf(sum, "%q %q %t %d\n", part, f.Name, f.Info.Mode()&0o100 != 0, f.Info.Size())
			_, err = io.Copy(sum, from)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

// Copy copies a folder of a task to a new folder, every script executable, and its links as what they lead to.
// readers may be others than the owner: modes are 0644 and 0755.
func (t *Task) Copy(folder, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil { //nolint:gosec // another user of the trial reads it
		return err
	}
	return t.Walk(folder, func(f File) error {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return err
		}
		at := filepath.Join(to, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { //nolint:gosec // as above
			return err
		}
		mode := fs.FileMode(0o644)
		if f.Info.Mode()&0o100 != 0 || strings.HasSuffix(f.Name, ".sh") || bytes.HasPrefix(text, []byte("#!")) {
			mode = 0o755
		}
		return os.WriteFile(at, text, mode)
	})
}
