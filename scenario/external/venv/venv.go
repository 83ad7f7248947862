// Package venv keeps the virtual environments of Python in which environments of others run: one for each scheme and
// set of packages, below the user's cache folder, with exact versions on record.
package venv

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Wish says what is to be installed.
type Wish struct {
	Scheme   string   `json:"scheme"`
	Packages []string `json:"packages,omitempty"` // besides those of the scheme, as pip takes them
}

// An Env is a virtual environment. It is a value, and never changed.
type Env struct {
	Wish
	Asked    string    `json:"asked,omitempty"` // for Python: see [Order]
	Python   string    `json:"python"`          // its version
	Prefixes []string  `json:"prefixes"`        // folders of the interpreter
	Locked   []string  `json:"locked"`          // its packages, as NAME==VERSION, sorted
	Made     time.Time `json:"made"`

	Dir string `json:"-"`

	given string // the interpreter, of one that is not ours
}

// A MissingError says that a wish is not installed.
type MissingError struct {
	Wish
	Address string // that asked for it
}

// Error implements error: it names the command that installs.
func (e *MissingError) Error() string {
	line := "quintain environments install " + quoted(e.Address)
	if len(e.Packages) > 0 {
		line += " --with " + quoted("environment.packages="+strings.Join(e.Packages, ","))
	}
	return e.Scheme + " is not installed here: " + line
}

// quoted returns a word of a command line.
func quoted(word string) string {
	if strings.ContainsAny(word, " ?&*#;<>()|$`\"~![]{}\\") {
		return "'" + word + "'"
	}
	return word
}

// A Store is the folder of virtual environments. Many programs may use it at once.
type Store struct{ Dir string }

// Open returns the user's store, which may not be there yet.
func Open() (Store, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Store{}, fmt.Errorf("a folder for environments: %w", err)
	}
	return Store{filepath.Join(cache, "quintain", "environments")}, nil
}

// about is the file that says what an environment has. It is written last: without it one is not whole.
const about = "quintain.json"

// List returns all that is installed, sorted by scheme, the newest first.
func (s Store) List() ([]Env, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Env
	for _, entry := range entries {
		e := Env{Dir: filepath.Join(s.Dir, entry.Name())}
		text, err := os.ReadFile(filepath.Join(e.Dir, about))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is being made
		}
		if err == nil {
			err = strictjson.Unmarshal(text, &e)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w: remove the folder, and install anew", e.Dir, err)
		}
		if _, err := os.Stat(e.Interpreter()); err == nil {
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b Env) int {
		if a.Scheme != b.Scheme {
			return strings.Compare(a.Scheme, b.Scheme)
		}
		return b.Made.Compare(a.Made)
	})
	return all, nil
}

// Find returns the newest environment that has what is wished, and no other packages. The error of none is a
// [MissingError] without the address.
func (s Store) Find(w Wish) (Env, error) {
	all, err := s.List()
	if err != nil {
		return Env{}, err
	}
	for _, e := range all {
		if e.Scheme == w.Scheme && slices.Equal(sorted(e.Packages), sorted(w.Packages)) {
			return e, nil
		}
	}
	return Env{}, &MissingError{Wish: w}
}

// Remove removes the environments of a scheme, or the one of a lock, and returns them.
func (s Store) Remove(name string) ([]Env, error) {
	all, err := s.List()
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(e Env) bool { return e.Scheme != name && e.Digest() != name })
	for _, e := range all {
		if err := errors.Join(os.Remove(filepath.Join(e.Dir, about)), os.RemoveAll(e.Dir)); err != nil { // never half
			return nil, err
		}
	}
	return all, nil
}

// Interpreter returns the path of its Python.
func (e Env) Interpreter() string {
	if e.given != "" {
		return e.given
	}
	return interpreter(e.Dir)
}

// interpreter returns the path of a virtual environment's Python.
func interpreter(dir string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(dir, "Scripts", "python.exe")
	}
	return filepath.Join(dir, "bin", "python")
}

// Version returns the version of a peer's first package.
func (e Env) Version(of Peer) string {
	name, _, _ := strings.Cut(of.Packages[0], "==")
	name, _, _ = strings.Cut(name, "[")
	for _, locked := range e.Locked {
		if version, ok := strings.CutPrefix(locked, name+"=="); ok {
			return version
		}
	}
	return ""
}

// sorted returns a sorted copy.
func sorted(words []string) []string {
	all := slices.Clone(words)
	slices.Sort(all)
	return all
}

// write writes what an environment has, which makes it whole.
func (e Env) write() error {
	text, err := json.MarshalIndent(e, "", "\t")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(e.Dir, lockName), []byte(e.Lock()), 0o600); err != nil {
		return err
	}
	early := filepath.Join(e.Dir, about+".new")
	return errors.Join(os.WriteFile(early, text, 0o600), os.Rename(early, filepath.Join(e.Dir, about)))
}
