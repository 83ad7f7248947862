package venv

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/datadir"
)

// lockName is the file of a lock, beside its environment.
const lockName = "lock.txt"

// Digest stands for the lock: the versions of Python, without its patch, and of all packages.
func (e Env) Digest() string {
	sum := sha256.Sum256([]byte(e.Scheme + "\n" + minor(e.Python) + "\n" + strings.Join(e.Locked, "\n")))
	return fmt.Sprintf("%.12x", sum)[:12]
}

// minor returns a version of Python without its patch.
func minor(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// Lock returns the lock as text, which pip reads and [ReadLock] does.
func (e Env) Lock() string {
	return fmt.Sprintf("# scheme %s\n# python %s\n# lock %s\n%s\n", e.Scheme, e.Python, e.Digest(), strings.Join(e.Locked, "\n"))
}

// Mark names what plays for the comparison of machines, with the line that installs it.
func (e Env) Mark(address string) string {
	return fmt.Sprintf("%s of lock %s (quintain environments install %s --lock FILE, with the file environments/%s in the run's data folder)",
		e.Scheme, e.Digest(), quoted(address), e.LockName())
}

// LockName is the name of the lock's file among the artifacts of a run.
func (e Env) LockName() string { return e.Scheme + "-" + e.Digest() + ".txt" }

// Keep writes the lock into a folder of a run's artifacts. It returns the file of another lock of the scheme with which the
// run was played before; empty: there is none, or this one has been there.
func (e Env) Keep(dir string) (before string, err error) {
	if err := datadir.MakeFolder(dir); err != nil {
		return "", err
	}
	file := filepath.Join(dir, e.LockName())
	if _, err := os.Stat(file); err == nil {
		return "", nil
	}
	others, _ := filepath.Glob(filepath.Join(dir, e.Scheme+"-*.txt")) // its error is of the pattern
	if len(others) > 0 {
		before = others[len(others)-1]
	}
	return before, datadir.WriteFile(file, []byte(e.Lock()))
}

// A Lock is what a lock's file asks for.
type Lock struct {
	Scheme, Python, Digest string   // empty: the file does not say
	Packages               []string // NAME==VERSION
}

var exact = compiled.Regexp(`^[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9.!+_-]*$`)

// ReadLock reads the file of a lock.
func ReadLock(path string) (l Lock, err error) {
	f, err := os.Open(path)
	if err != nil {
		return l, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		switch words := strings.Fields(line); {
		case len(words) == 3 && words[0] == "#" && words[1] == "scheme":
			l.Scheme = words[2]
		case len(words) == 3 && words[0] == "#" && words[1] == "python":
			l.Python = words[2]
		case len(words) == 3 && words[0] == "#" && words[1] == "lock":
			l.Digest = words[2]
		case line == "" || line[0] == '#':
		case !exact().MatchString(line):
			return l, fmt.Errorf("%s: line %d is %.100q, want NAME==VERSION", path, n, line)
		default:
			l.Packages = append(l.Packages, line)
		}
	}
	if err := lines.Err(); err != nil {
		return l, fmt.Errorf("%s: %w", path, err)
	}
	if len(l.Packages) == 0 {
		return l, errors.New(path + ": has no packages, want lines of NAME==VERSION, as quintain environments install prints them")
	}
	return l, nil
}
