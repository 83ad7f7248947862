package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/tiny/starter"
)

// A restedFolder is a data folder at rest: the content of its files now, and when its run was younger.
type restedFolder struct {
	path        string
	now, old    map[string][]byte
	state, told string // what its readers say of now
}

// playedRun are the arguments of a run of the embedded model that takes half a second.
func playedRun(data string, args ...string) []string {
	return append([]string{"run", "--scenario", "nim_family", "--group-size", "4", "--batch-size", "8", "--with", "run.keep_weights=1", "--with", "run.max_lag=1", "--port", "0", "--data", data}, args...)
}

// called runs the program, and returns what it prints to each of its outputs.
func called(t *testing.T, args ...string) (status int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = execute(&world{args: args, stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, environ: func() []string { return []string{"LANG=C"} }})
	return status, stdout.String(), stderr.String()
}

// files returns the content of the files of a folder, by their paths in it.
func (f *restedFolder) files(t *testing.T) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(f.path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(f.path, path)
		if err == nil {
			all[name], err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// restore puts the files back in place: a new one would be a copy, which marks tell.
func (f *restedFolder) restore(t *testing.T) {
	t.Helper()
	for name := range f.files(t) {
		if f.now[name] == nil {
			if err := os.Remove(filepath.Join(f.path, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, data := range f.now {
		path := filepath.Join(f.path, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// rested makes a data folder with everything that a run, a gateway and a trace leave.
func rested(t *testing.T) *restedFolder {
	t.Helper()
	f := &restedFolder{path: filepath.Join(t.TempDir(), "data")}
	play := func(n int) {
		if status, _, errs := called(t, playedRun(f.path, "--steps", "2", "--exam-problems", "1")...); status != exitOK {
			t.Fatal(errs)
		}
		j, err := journal.Open(filepath.Join(f.path, "sessions"), journal.Options{}, func(journal.Record) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for i := range 5 {
			err = errors.Join(err, j.Append(context.Background(), journal.Record{Session: fmt.Sprintf("session%d.%d", n, i), Data: make([]byte, 300)}))
		}
		_, cannot := gateway.LoadSecret(f.path, slog.New(slog.DiscardHandler))
		if err := errors.Join(err, j.Close(), cannot); err != nil {
			t.Fatal(err)
		}
	}
	play(1)
	f.old = f.files(t)
	play(2)
	f.now = f.files(t)
	f.state, f.told = f.read(t)
	return f
}

// read returns what there is to read in the folder, and what its readers and a run that goes on say of
// it.
func (f *restedFolder) read(t *testing.T) (state, told string) {
	t.Helper()
	status, out, errs := called(t, "export", "records", "--data", f.path)
	state, told = fmt.Sprint(strings.Count(out, "\n"), " groups"), errs
	add := func(what string, status int, out, errs string) {
		state += fmt.Sprintf("; %s: status %d", what, status)
		told += out + errs
	}
	add("export", status, "", "")
	status, out, errs = called(t, "hub", "queue", "check", f.path)
	add("queue", status, out, errs)
	status, out, errs = called(t, "doctor", "data", f.path)
	add("doctor", status, out, errs)
	sessions := 0
	log := &bytes.Buffer{}
	j, err := journal.Open(filepath.Join(f.path, "sessions"), journal.Options{Log: slog.New(slog.NewTextHandler(log, nil))}, func(journal.Record) error { sessions++; return nil })
	if err == nil {
		err = j.Close()
	}
	_, lost := gateway.LoadSecret(f.path, slog.New(slog.NewTextHandler(log, nil)))
	if err = errors.Join(err, lost); err != nil {
		log.WriteString(err.Error())
	}
	add("sessions", sessions, log.String(), "")
	for name := range f.now {
		if strings.HasPrefix(name, "weights/") {
			if _, err := starter.ReadCheckpoint(filepath.Join(f.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) { // a missing one is not named as kept
				told += err.Error()
			}
		}
	}
	status, out, errs = called(t, playedRun(f.path, "--steps", "1", "--exam-problems", "0")...)
	version := regexp.MustCompile(`to version \d+`).FindString(out)
	add("run "+version, status, "", errs)
	return state, told
}

// damages are the kinds, each by what it makes of a file; nil removes it.
func damages(r *rand.Rand) map[string]func(b, old []byte) []byte {
	at := func(b []byte) int { return r.IntN(max(1, len(b))) }
	return map[string]func(b, old []byte) []byte{
		"a bit": func(b, _ []byte) []byte {
			if len(b) > 0 {
				b[at(b)] ^= 1 << r.IntN(8)
			}
			return b
		},
		"a cut at a line or record": func(b, _ []byte) []byte {
			n := at(b)
			if i := bytes.LastIndexAny(b[:n], "\n"); i > 0 {
				n = i + 1
			}
			return b[:n]
		},
		"a cut": func(b, _ []byte) []byte { return b[:at(b)] },
		"zeros": func(b, _ []byte) []byte {
			n := at(b)
			clear(b[n:min(len(b), n+64)])
			return b
		},
		"an older copy": func(b, old []byte) []byte {
			if old == nil {
				return b
			}
			return slices.Clone(old)
		},
		"its removal": func(_, _ []byte) []byte { return nil },
	}
}

// noLoss are files whose damage loses nothing: what is told of them is knowledge about others.
var noLoss = regexp.MustCompile(`^(marks/|lock$|queue/(ends|lock)$|sessions/lock$|.*\.bad$)`)

// remedies are the words of a way back.
var remedies = regexp.MustCompile(`put back|put .* back|makes the file anew|go on|goes on|move it away|or remove|begin anew|follows|restore|use the program|delete it|are lost|salvag|kept=|reads format`)

// harm damages one file, and tells what the readers then say that is wrong. It reports whether the
// damage changed the file.
func (f *restedFolder) harm(t *testing.T, r *rand.Rand, name, kind string) bool {
	t.Helper()
	f.restore(t)
	path := filepath.Join(f.path, name)
	made := damages(r)[kind](slices.Clone(f.now[name]), f.old[name])
	if bytes.Equal(made, f.now[name]) && made != nil {
		return false
	}
	aside := filepath.Join(filepath.Dir(f.path), "aside")
	err := os.Rename(path, aside)
	if made != nil {
		err = errors.Join(os.Rename(aside, path), os.WriteFile(path, made, 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	state, told := f.read(t)
	if made == nil {
		if err := os.Rename(aside, path); err != nil {
			t.Fatal(err)
		}
	}
	base := filepath.Base(name)
	switch names := strings.Count(told, base) > strings.Count(f.told, base) || strings.Contains(told, "has no "+base); { // doctor names some of them always
	case noLoss.MatchString(name) || state == f.state && !names:
		if state != f.state && !names {
			t.Errorf("%s of %s is silent: %s, want %s\n%s", kind, name, state, f.state, told)
		}
	case !names:
		t.Errorf("%s of %s is silent: %s, want %s\n%s", kind, name, state, f.state, told)
	case !remedies.MatchString(told):
		t.Errorf("%s of %s is told without a remedy: %s", kind, name, told)
	}
	return true
}

// TestDamageAtRest damages files of a data folder, 300 of them with -tags heavy. None is silent: either
// nothing is lost, or the file is named with a remedy.
func TestDamageAtRest(t *testing.T) {
	f := rested(t)
	r := rand.New(rand.NewPCG(7, 11))
	names, kinds := slices.Sorted(maps.Keys(f.now)), slices.Sorted(maps.Keys(damages(r)))
	for i, harmed := 0, 0; harmed < damagesAtRest; i++ {
		if f.harm(t, r, names[i%len(names)], kinds[i/len(names)%len(kinds)]) {
			harmed++
		}
	}
}
