// Package play plays tasks in the format of Harbor: the agent's phase, with one tool, bash, and the tests' phase are two
// starts over the same files of a trial ([box.Trial]), so that of the agent only files reach the tests. It also
// checks tasks: what their solutions earn, and what doing nothing earns.
//
// No failure becomes a reward: what tests did not truly write is the fault of the environment, and what the machine could not do is
// played again.
package play

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/harbor/image"
	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/sandbox/box"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// A machine makes trials. Many goroutines may use it.
type machine interface {
	newTrial(o box.Options) (trial, error)
	image(ctx context.Context, t *harbor.Task) (image.Image, error)
	hold(digest string) (release func(), err error)
}

// A trial is a [box.Trial].
type trial interface {
	start(ctx context.Context, p box.Phase) (session, error)
	Changes() (box.Changes, error)
	Close() error
}

// A session is a [box.Session].
type session interface {
	Run(ctx context.Context, c box.Command) (box.Result, error)
	Read(path string, most int64) ([]byte, error)
	Save(at, to string) error
	Listener(port int) net.Listener
	Close() error
}

// A local machine is this one.
type local struct{ store *image.Store }

func (l local) hold(digest string) (func(), error) { return l.store.Hold(digest) }

func (l local) newTrial(o box.Options) (trial, error) {
	t, err := box.New(o)
	return realTrial{t}, err
}

// image returns the image of a task.
func (l local) image(ctx context.Context, t *harbor.Task) (image.Image, error) {
	folder := filepath.Join(t.Dir, harbor.Environment)
	_, noFile := os.Lstat(filepath.Join(folder, "Dockerfile"))
	if t.Config.Image == "" {
		return l.store.For(ctx, folder)
	}
	img, err := l.store.Find(t.Config.Image)
	switch entries, _ := os.ReadDir(folder); {
	case noFile == nil && errors.Is(err, image.ErrNoImage):
		return l.store.For(ctx, folder)
	case noFile != nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), "docker-compose.") }):
		return image.Image{}, &harbor.Refusal{File: harbor.ConfigFile, Word: "environment.docker_image", Why: "with files in environment/ and no Dockerfile is not played yet: copy them by one"}
	}
	return img, err
}

// A realTrial is a trial of this machine.
type realTrial struct{ *box.Trial }

func (t realTrial) start(ctx context.Context, p box.Phase) (session, error) {
	s, err := t.Start(ctx, p)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// An entry is a task that is ready to play. It does not change.
type entry struct {
	*harbor.Task
	static harbor.Static
	image  image.Image
	env    []string                     // of every process, as NAME=TEXT
	tests  []string                     // more variables, of the tests
	solve  []string                     // more variables, of the solution
	copied func() (dir string, _ error) // folder with copies of tests/ and solution/, which trials may read
}

// A Set is the tasks of a folder, ready to play. Many goroutines may use it.
type Set struct {
	how    Settings
	log    *slog.Logger
	on     machine
	name   string // of the scenario
	folder string
	files  string // folder with the copies of the tasks' files
	levels []level
	mark   string // what the tasks and their images are
	images string // names those below all others
	info   quintain.ScenarioInfo
	id     string        // of info
	slots  chan struct{} // full: as many commands run as may at once
	holds  []func()
}

// Open reads the tasks of an address, harbor:FOLDER[#TASK][?select=GLOB&difficulty=WORD], and finds their images. A glob may
// be @FILE, with the names of tasks, a line each. The caller must Close the set. The error names each task that cannot be played.
func Open(ctx context.Context, a guest.Address, how Settings, log *slog.Logger) (*Set, error) {
	if err := box.Probe(ctx, how.Scratch); err != nil {
		return nil, err
	}
	store, err := image.Open("")
	if err != nil {
		return nil, err
	}
	return open(ctx, a, &Set{how: how, log: log, on: local{store}})
}

// open is [Open] on any machine.
func open(ctx context.Context, a guest.Address, s *Set) (_ *Set, err error) {
	names, err := choose(a)
	if err != nil {
		return nil, err
	}
	if err := s.begin(a); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	entries, err := s.entries(ctx, names)
	if err == nil {
		err = s.sort(entries, a.Query.Get("difficulty"))
	}
	if err == nil {
		err = s.holdAll(entries)
	}
	if err == nil {
		err = s.describe()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// begin makes what a set needs before its tasks.
func (s *Set) begin(a guest.Address) (err error) {
	s.folder, s.slots = a.Name, make(chan struct{}, cmp.Or(s.how.Jobs, runtime.NumCPU()))
	if s.files, err = box.Folder(s.how.Scratch); err != nil {
		return err
	}
	return os.Chmod(s.files, 0o755) //nolint:gosec // another user of a trial reads it
}

// entries makes the named tasks ready.
func (s *Set) entries(ctx context.Context, names []string) (all []*entry, err error) {
	var refused []string
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, context.Cause(ctx)
		}
		e, err := s.ready(ctx, name)
		if err != nil {
			refused = append(refused, fmt.Sprintf("%s: %v", name, err))
			continue
		}
		all = append(all, e)
	}
	const most = 10
	text := strings.Join(refused[:min(len(refused), most)], "\n  ")
	if more := len(refused) - most; more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	switch {
	case len(refused) == 0:
	case len(all) == 0 || !s.how.SkipRefused:
		return nil, fmt.Errorf("%s cannot be played; quintain dataset check %s tells of all, --with harbor.skip_refused=true leaves them out:\n  %s",
			stats.Count(len(refused), "task"), s.folder, text)
	default:
		s.log.Warn("tasks that cannot be played are left out", "tasks", len(refused), "why", text)
	}
	return all, nil
}

// ready reads a task and finds its image.
func (s *Set) ready(ctx context.Context, name string) (*entry, error) {
	t, err := harbor.Read(s.folder, name)
	if err != nil {
		return nil, err
	}
	if err := s.unbound(t); err != nil {
		return nil, err
	}
	e := &entry{Task: t}
	if e.static, err = t.Static(); err != nil {
		return nil, err
	}
	for _, of := range []struct {
		to  *[]string
		env map[string]string
	}{{&e.env, t.Config.Env}, {&e.tests, t.Config.Verifier.Env}, {&e.solve, t.Config.Solution}} {
		if *of.to, err = harbor.Expand(of.env, s.how.Variables); err != nil {
			return nil, err
		}
	}
	if e.image, err = s.on.image(ctx, t); err != nil {
		return nil, err
	}
	if u := e.image.User; u != "" && u != "root" && u != "0" && u != "0:0" && u != "root:root" {
		return nil, &harbor.Refusal{File: "image " + e.image.Name, Word: "USER", Why: "is " + u + ", and users other than root are not played yet"}
	}
	e.copied = sync.OnceValues(func() (string, error) { return s.copy(t) })
	return e, nil
}

// copy copies what trials of a task may read.
func (s *Set) copy(t *harbor.Task) (string, error) {
	dir := filepath.Join(s.files, t.Hash)
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // another user of a trial reads it
		return "", err
	}
	return dir, errors.Join(t.Copy(harbor.Tests, filepath.Join(dir, harbor.Tests)), t.Copy(harbor.Solution, filepath.Join(dir, harbor.Solution)))
}

// mostImages bounds the images that a mark names.
const mostImages = 50

// holdAll keeps the images of the tasks in the store, and computes the mark. That names the images, too: a worker of a fleet
// without one is told which.
func (s *Set) holdAll(entries []*entry) error {
	held, sum := map[string]bool{}, sha256.New()
	images := map[string]bool{}
	for _, e := range entries {
		fmt.Fprintf(sum, "%s %s %s\n", e.Name, e.Hash, e.image.Digest)
		images[" and image "+cmp.Or(e.image.Base, e.image.Digest)] = true
		if held[e.image.Digest] {
			continue
		}
		held[e.image.Digest] = true
		release, err := s.on.hold(e.image.Digest)
		if err != nil {
			return err
		}
		s.holds = append(s.holds, release)
	}
	s.mark = fmt.Sprintf("%.8x", sum.Sum(nil))
	if len(images) <= mostImages {
		s.images = strings.Join(slices.Sorted(maps.Keys(images)), "")
	}
	return nil
}

// Close lets go of the images, and removes the copies. No episode may be open.
func (s *Set) Close() {
	for _, release := range s.holds {
		release()
	}
	s.holds = nil
	if err := os.RemoveAll(s.files); err != nil {
		s.log.Warn("copies of the tests stay", "fault", err)
	}
}

// choose returns the names of the tasks that an address chooses.
func choose(a guest.Address) ([]string, error) {
	for key := range a.Query {
		if key != "select" && key != "difficulty" {
			return nil, fmt.Errorf("has the value %q; there are select and difficulty", key)
		}
	}
	names, err := harbor.Find(a.Name)
	if err != nil {
		return nil, err
	}
	if a.Part != "" {
		chosen := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n != a.Part && path.Base(n) != a.Part })
		if len(chosen) != 1 {
			return nil, fmt.Errorf("#%s names %s of %d%s", a.Part, stats.Count(len(chosen), "task"), len(names), nearest.Suggest(a.Part, names))
		}
		return chosen, nil
	}
	glob := a.Query.Get("select")
	if glob == "" {
		return names, nil
	}
	has, err := selects(glob)
	if err != nil {
		return nil, err
	}
	all := len(names)
	if names = slices.DeleteFunc(names, func(n string) bool { return !has(n) }); len(names) == 0 {
		return nil, fmt.Errorf("select=%s chooses none of the %d tasks", glob, all)
	}
	return names, nil
}

// selects returns what a glob, or @FILE, chooses.
func selects(glob string) (func(name string) bool, error) {
	file, listed := strings.CutPrefix(glob, "@")
	if !listed {
		_, err := path.Match(glob, "")
		return func(name string) bool {
			whole, _ := path.Match(glob, name) // its form was tried
			base, _ := path.Match(glob, path.Base(name))
			return whole || base
		}, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("select: %w", err)
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		names[strings.TrimSpace(line)] = true
	}
	return func(name string) bool { return names[name] }, nil
}
