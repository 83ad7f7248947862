package venv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/command"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// An Order says how to install.
type Order struct {
	Wish
	Lock      string       // file of a lock, which names the exact packages; empty: the newest that go with those of the scheme
	Python    string       // interpreter, or its version; empty: any that goes with the packages
	FindLinks string       // folder of wheels, to do without network; empty: the index of packages
	Say       func(string) // gets lines about the progress
}

// Install makes a virtual environment, unless there is one already. Its error names the remedy; then, and at the end of ctx, nothing is
// left. Several may install at once, also the same.
func (s Store) Install(ctx context.Context, o Order) (Env, error) {
	peer, err := Find(o.Scheme)
	if err != nil {
		return Env{}, err
	}
	wants := slices.Concat(peer.Packages, o.Packages)
	var lock Lock
	if o.Lock != "" {
		if lock, err = ReadLock(o.Lock); err != nil {
			return Env{}, err
		}
		if lock.Scheme != "" && lock.Scheme != o.Scheme {
			return Env{}, fmt.Errorf("%s: is the lock of %s, and not of %s", o.Lock, lock.Scheme, o.Scheme)
		}
		wants = lock.Packages
	}
	if e, has, err := s.has(o, lock); has || err != nil {
		return e, err
	}
	python := o.Python
	if python == "" {
		if python = peer.Python; lock.Python != "" {
			python = "==" + minor(lock.Python) + ".*"
		}
	}
	if err := datadir.MakeFolder(s.Dir); err != nil {
		return Env{}, s.remedy(err, peer, "")
	}
	s.sweep()
	return s.make(ctx, o, &maker{python: python, wants: wants, digest: lock.Digest})
}

// has returns the environment that an order would make, if it is there.
func (s Store) has(o Order, lock Lock) (Env, bool, error) {
	all, err := s.List()
	if err != nil {
		return Env{}, false, err
	}
	for _, e := range all {
		same := e.Scheme == o.Scheme && slices.Equal(sorted(e.Packages), sorted(o.Packages)) && (o.Python == "" || o.Python == e.Asked || minor(o.Python) == minor(e.Python))
		if same && (len(lock.Packages) == 0 || slices.Equal(sorted(lock.Packages), e.Locked)) {
			return e, true, nil
		}
	}
	return Env{}, false, nil
}

// sweep removes what crashed machines left half made, a day ago or more. Whatever else ends an installation removes it.
func (s Store) sweep() {
	entries, _ := os.ReadDir(s.Dir)
	for _, entry := range entries {
		dir := filepath.Join(s.Dir, entry.Name())
		_, err := os.Stat(filepath.Join(dir, about))
		if info, e := entry.Info(); e == nil && errors.Is(err, fs.ErrNotExist) && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(dir)
		}
	}
}

// make makes an environment in a new folder, which ends with it if it is not whole.
func (s Store) make(ctx context.Context, o Order, m *maker) (_ Env, err error) {
	peer, _ := Find(o.Scheme) // Install found it
	dir, err := os.MkdirTemp(s.Dir, o.Scheme+"-")
	if err != nil {
		return Env{}, s.remedy(err, peer, "")
	}
	if m.group, err = command.NewGroup(dir); err != nil {
		return Env{}, errors.Join(err, os.RemoveAll(dir))
	}
	defer func() {
		m.group.Kill()
		if err == nil {
			return
		}
		gone := os.RemoveAll(dir)
		if err = s.remedy(err, peer, m.said()); ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if gone != nil {
			err = errors.Join(err, fmt.Errorf("what is half made stays: %w", gone))
		}
	}()
	m.dir, m.say, m.links = dir, o.Say, o.FindLinks
	if err := m.run(ctx); err != nil {
		return Env{}, err
	}
	e := Env{Wish: o.Wish, Asked: o.Python, Dir: dir, Made: time.Now().UTC()}
	if err := m.describe(ctx, &e); err != nil {
		return Env{}, err
	}
	if m.digest != "" && e.Digest() != m.digest {
		return Env{}, fmt.Errorf("the lock is %s, but what comes of it here is %s, with Python %s and %s", m.digest, e.Digest(), e.Python, strings.Join(e.Locked, ", "))
	}
	return e, e.write()
}

// describe asks a new environment what it has.
func (m *maker) describe(ctx context.Context, e *Env) error {
	const ask = `import importlib.metadata as m, json, re, sys
print(json.dumps({"python": "%d.%d.%d" % sys.version_info[:3], "prefixes": sorted({sys.prefix, sys.base_prefix, sys.base_exec_prefix}),
"locked": sorted({re.sub("[-_.]+", "-", d.metadata["Name"]).lower() + "==" + d.version for d in m.distributions()} - {"pip==" + d.version for d in m.distributions() if d.metadata["Name"] == "pip"})}))`
	out, err := m.call(ctx, interpreter(m.dir), "-I", "-c", ask)
	if err != nil {
		return err
	}
	if err := strictjson.Unmarshal([]byte(strings.TrimSpace(out)), e); err != nil {
		return fmt.Errorf("the new Python says %.200q: %w", out, err)
	}
	slices.Sort(e.Locked)
	return nil
}
