package guest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/python"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/venv"
)

// Host returns the command that plays an address of a library's scheme over pipes, and its
// variables: PYTHON host.py SCHEME NAME JSON, where JSON is an object with the address's "query" (an
// object of texts), "part" (a text, if there is one), and "args" (those of the settings). The error says how to install what is
// missing ([venv.MissingError]). ctx ends the search.
func Host(ctx context.Context, a Address, s Settings) (command, env []string, err error) {
	e, err := Installed(ctx, a, s)
	if err != nil {
		return nil, nil, err
	}
	script, err := hostFile()
	if err != nil {
		return nil, nil, err
	}
	given, err := s.Given(a)
	if err != nil {
		return nil, nil, err
	}
	env, err = venv.Environ(s.Keys)
	return []string{e.Interpreter(), script, a.Scheme, a.Name, given}, env, err
}

// Installed returns the virtual environment, or the Python of the settings, that has the packages of an address.
func Installed(ctx context.Context, a Address, s Settings) (venv.Env, error) {
	if s.Python != "" {
		return venv.Given(ctx, s.Python)
	}
	store, err := venv.Open()
	if err != nil {
		return venv.Env{}, err
	}
	e, err := store.Find(venv.Wish{Scheme: a.Scheme, Packages: s.Packages})
	if missing, ok := errors.AsType[*venv.MissingError](err); ok {
		missing.Address = a.String()
	}
	return e, err
}

// Program returns the settings of the program that plays an address of a library's scheme: in the sandbox where the scheme needs no
// network, else with the user's rights, which it says.
func Program(ctx context.Context, a Address, s Settings, log *slog.Logger) (how external.Settings, err error) {
	how = s.Limits
	if how.Words, how.Env, err = Host(ctx, a, s); err != nil {
		return how, err
	}
	e, err := Installed(ctx, a, s)
	if err != nil {
		return how, err
	}
	if len(e.Locked) > 0 {
		how.Mark = e.Mark(a.String())
	}
	peer, _ := venv.Find(a.Scheme) // else it is not confined
	switch {
	case s.Isolate == Sandbox && !peer.Confined:
		return how, fmt.Errorf("isolate: the environments of %s need the network, which the sandbox has not: want none", a.Scheme)
	case s.Isolate == None || !peer.Confined:
		log.Warn("the environment has your rights: nothing confines its code, nor what it runs of a model's replies", "environment", a)
		return how, nil
	}
	return how, confine(ctx, a, e, s, &how)
}

// confine has a program run in the sandbox.
func confine(ctx context.Context, a Address, e venv.Env, s Settings, how *external.Settings) (err error) {
	if how.Env, err = venv.Keys(s.Keys); err != nil {
		return err
	}
	read := append([]string{filepath.Dir(how.Words[1]), e.Dir}, e.Prefixes...)
	if a.Query.Has("module") { // of the user's own, in this folder
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		read, how.Env = append(read, here), append(how.Env, "PYTHONPATH="+here)
	}
	how.Env = append(how.Env, "PYTHONNOUSERSITE=1")
	how.Starter, err = venv.NewJail(ctx, read)
	return err
}

// Names returns the names of the environments that the installed package of a scheme knows.
func Names(ctx context.Context, scheme string, s Settings) ([]string, error) {
	words, env, err := Host(ctx, Address{Scheme: scheme}, s)
	if err != nil {
		return nil, err
	}
	return venv.Lines(ctx, words[:3], env)
}

// Given returns the last argument of a host's command.
func (s *Settings) Given(a Address) (string, error) {
	query, args := map[string]string{}, s.Args
	for key := range a.Query {
		query[key] = a.Query.Get(key)
	}
	if args == nil {
		args = map[string]any{}
	}
	all := map[string]any{"query": query, "args": args}
	if a.Part != "" {
		all["part"] = a.Part
	}
	text, err := json.Marshal(all)
	return string(text), err
}

// File returns the address of a Python file of the user's: of the program that it is, if it serves a scenario by our package, and
// else of a host that plays its reset and step, as functions or in one class.
func File(path string, s Settings) (Address, error) {
	code, err := os.ReadFile(path)
	if err != nil {
		return Address{}, err
	}
	words := []string{cmp.Or(s.Python, "python3"), path}
	if !bytes.Contains(code, []byte("serve_scenario")) {
		script, err := hostFile()
		if err != nil {
			return Address{}, err
		}
		words = []string{words[0], script, "file", path}
	}
	for i, word := range words {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return Parse("command:" + strings.Join(words, " "))
}

// hostFile writes the host's files into the user's cache, and returns the path of host.py.
func hostFile() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	files, err := fs.ReadDir(python.Guests(), ".")
	if err != nil {
		return "", err
	}
	sum, texts := fnv.New64a(), map[string][]byte{}
	for _, f := range files {
		if texts[f.Name()], err = fs.ReadFile(python.Guests(), f.Name()); err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s %d %s", f.Name(), len(texts[f.Name()]), texts[f.Name()])
	}
	folder := filepath.Join(cache, "quintain", "guests", fmt.Sprintf("%016x", sum.Sum64()))
	if err := datadir.MakeFolder(folder); err != nil {
		return "", err
	}
	for name, text := range texts {
		if err := datadir.WriteFile(filepath.Join(folder, name), text); err != nil {
			return "", err
		}
	}
	return filepath.Join(folder, "host.py"), nil
}
