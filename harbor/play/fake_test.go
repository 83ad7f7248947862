package play

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/harbor/image"
	"github.com/quintain-rl/quintain/sandbox/box"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// A fake is a machine whose commands are functions. Its trials write nothing.
type fake struct {
	agent   func(c box.Command) (box.Result, error)                    // nil: a command does nothing
	tests   func(solved bool) (left map[string]string, got box.Result) // what the tests leave in /logs/verifier
	live    func(ctx context.Context) (box.Result, error)              // the command "live"
	lost    int                                                        // trials that cannot begin
	link    map[string]error                                           // files that cannot be read
	noImage error

	mu     sync.Mutex
	trials []*fakeTrial
	open   int // trials and sessions
	held   int
}

func (f *fake) image(context.Context, *harbor.Task) (image.Image, error) {
	return image.Image{Name: "machine", Digest: "sha256:1", Env: []string{"PATH=/bin", "A=image"}, Dir: "/app"}, f.noImage
}

func (f *fake) hold(string) (func(), error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held++
	return func() { f.mu.Lock(); f.held--; f.mu.Unlock() }, nil
}

func (f *fake) newTrial(o box.Options) (trial, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.lost > 0 {
		f.lost--
		return nil, errors.New("there is no room")
	}
	t := &fakeTrial{of: f, options: o}
	f.trials = append(f.trials, t)
	f.open++
	return t, nil
}

// last returns the last trial.
func (f *fake) last() *fakeTrial {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.trials[len(f.trials)-1]
}

// A fakeTrial notes its phases and commands.
type fakeTrial struct {
	of       *fake
	options  box.Options
	phases   []box.Phase
	commands []box.Command
	solved   bool
}

func (t *fakeTrial) start(_ context.Context, p box.Phase) (session, error) {
	t.phases = append(t.phases, p)
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.open++
	return &fakeSession{trial: t}, nil
}

func (t *fakeTrial) Changes() (box.Changes, error) {
	return box.Changes{Count: 2, Bytes: 30, Some: []box.Change{{Path: "/app/x"}, {Path: "/usr/bin/python3", System: true}}}, nil
}

func (t *fakeTrial) Close() error {
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	t.of.open--
	return nil
}

// A fakeSession is a phase.
type fakeSession struct {
	trial *fakeTrial
	left  map[string]string
}

func (s *fakeSession) Run(ctx context.Context, c box.Command) (box.Result, error) {
	s.trial.commands = append(s.trial.commands, c)
	if c.Args[len(c.Args)-1] == "live" {
		return s.trial.of.live(ctx)
	}
	if text := strings.Join(c.Args, " "); strings.Contains(text, "/tests/test.sh") {
		var got box.Result
		s.left, got = s.trial.of.tests(s.trial.solved)
		return got, nil
	} else if strings.Contains(text, "/solution/solve.sh") {
		s.trial.solved = true
	}
	if s.trial.of.agent == nil {
		return box.Result{Dir: "/app", Wall: time.Second}, nil
	}
	return s.trial.of.agent(c)
}

func (s *fakeSession) Read(path string, most int64) ([]byte, error) {
	name := filepath.Base(path)
	text, has := s.left[name]
	switch err := s.trial.of.link[name]; {
	case err != nil:
		return nil, err
	case !has:
		return nil, box.ErrAbsent
	case int64(len(text)) > most:
		return nil, box.ErrTooLarge
	}
	return []byte(text), nil
}

func (s *fakeSession) Save(at, to string) error {
	return errors.Join(os.MkdirAll(to, 0o755), os.WriteFile(filepath.Join(to, "x"), []byte(at), 0o644))
}

func (*fakeSession) Listener(int) net.Listener { return nil }

func (s *fakeSession) Close() error {
	s.trial.of.mu.Lock()
	defer s.trial.of.mu.Unlock()
	s.trial.of.open--
	return nil
}

// pays returns tests that leave a reward.
func pays(text string) func(bool) (map[string]string, box.Result) {
	return func(bool) (map[string]string, box.Result) {
		return map[string]string{"reward.txt": text, "test-stdout.txt": "it ran\n"}, box.Result{Wall: time.Second}
	}
}

// folder writes tasks, with more files for each.
func folder(t *testing.T, tasks map[string]map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, more := range tasks {
		files := map[string]string{
			"task.toml": "[agent]\ntimeout_sec = 100\n[environment]\nnetwork_mode = \"no-network\"\n", "instruction.md": "Do it.\n", "environment/Dockerfile": "FROM machine\n",
			"tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n", "solution/solve.sh": "#!/bin/sh\ntrue\n",
		}
		maps.Copy(files, more)
		for file, text := range files {
			at := filepath.Join(dir, name, file)
			if text == "" {
				continue
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// address returns that of a folder.
func address(t *testing.T, rest string) guest.Address {
	t.Helper()
	a, err := guest.Parse("harbor:" + rest)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// set opens the tasks of an address on a fake machine.
func set(t *testing.T, on *fake, how Settings, rest string) *Set {
	t.Helper()
	how.Scratch = t.TempDir()
	s, err := open(t.Context(), address(t, rest), &Set{how: how, log: slog.New(slog.DiscardHandler), on: on})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		on.mu.Lock()
		defer on.mu.Unlock()
		if on.open != 0 || on.held != 0 {
			t.Errorf("%d trials or sessions are open, %d images held", on.open, on.held)
		}
		if left, err := os.ReadDir(how.Scratch); err != nil || len(left) > 0 {
			t.Errorf("left are %v, error %v", left, err)
		}
	})
	return s
}
