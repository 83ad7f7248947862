// Package backend opens the sandbox that the settings choose. It is the one place that knows all
// back ends.
//
// [Remote] runs programs in the sandboxes of other machines: those of quintain sandbox serve, which
// give every promise of package sandbox, and servers of SandboxFusion, which run programs but say
// nothing of what holds. A fault of a server, or of the way to it, is an error and never a result.
// A job is tried again, on another server if there is one; it has no effects, so one that ran
// twice does no harm.
package backend

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
)

// Settings choose a back end. The zero value is that of this machine's kernel.
type Settings struct {
	Where string   // native.Name, native.NameUnconfined, or addresses of servers with commas between them; empty: native.Name
	Read  []string // of native: more folders and files that programs may read

	Groups string // of native: a delegated folder of control groups, version 2; empty: none

	KeyFile  string // of servers: the file of their key; empty: none
	Trust    bool   // of servers: run programs on those that do not say what holds there
	InFlight int    // jobs at the same time on each server; 0: 64

	// Python is how jobs of Python begin that native forks from an interpreter which has started
	// already; nil: it starts each. It is the caller's choice, and no setting.
	Python []string
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	if s.Where == "" {
		s.Where = native.Name
	}
	if s.InFlight == 0 {
		s.InFlight = 64
	}
	d.Text(&s.Where, "backend", "sandbox that runs programs nobody trusts: native, by the Linux kernel; none, for programs you trust; or the address of quintain sandbox serve or SandboxFusion on another machine, several with commas").Flag("sandbox")
	d.Texts(&s.Read, "read", "more folders and files that programs may read in the native sandbox, such as an interpreter's")
	d.Text(&s.Groups, "cgroup", "folder of control groups, version 2, that is delegated to this process, for the native sandbox: the kernel then counts the memory and the threads of each job; empty: a watcher does")
	d.Text(&s.KeyFile, "key_file", "file with the key of the sandbox on another machine")
	d.Bool(&s.Trust, "trust", "run programs on servers that do not say what holds there, as SandboxFusion does not")
	d.Int(&s.InFlight, "in_flight", "jobs at the same time on each of these servers").AtLeast(1)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	switch s.Where {
	case "", native.Name, native.NameUnconfined:
		return nil
	}
	for _, url := range s.urls() {
		if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			return fmt.Errorf("backend: is %q, want %s, %s, or an address such as http://10.0.0.7:8000, where quintain sandbox serve runs (docs/sandbox.md)", s.Where, native.Name, native.NameUnconfined)
		}
	}
	return nil
}

// urls are the addresses of servers.
func (s *Settings) urls() []string { return strings.Split(s.Where, ",") }

// With returns the settings with jobs of Python that begin in a way; see Python. A nil s stands for
// the defaults.
func (s *Settings) With(python []string) (of Settings) {
	if s != nil {
		of = *s
	}
	of.Python = python
	return of
}

// AddTo gives f the flags of the settings. That of a list may be given several times.
func (s *Settings) AddTo(f *flag.FlagSet) {
	form := settings.New(s)
	for _, one := range form.Settings() {
		before := ""
		f.Func(cmp.Or(one.FlagName(), "sandbox-"+strings.ReplaceAll(one.Path(), "_", "-")), one.Help(), func(text string) error {
			if text = before + text; one.Type() == "list" {
				before = text + ","
			}
			return form.Preset(map[string]string{one.Path(): text})
		})
	}
}

// A Box is an open sandbox. No job may be running when it is closed.
type Box interface {
	sandbox.Sandbox
	io.Closer
}

// New opens the sandbox, however weak it is. The caller must Close it.
func New(s Settings) (Box, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	switch s.Where {
	case "", native.Name:
		return kept(native.New(native.Config{Read: s.Read, Zygote: s.Python, Groups: s.Groups}))
	case native.NameUnconfined:
		return kept(native.NewUnconfined())
	}
	c := RemoteConfig{URLs: s.urls(), Trust: s.Trust, InFlight: s.InFlight}
	if s.KeyFile != "" {
		text, err := os.ReadFile(s.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("key_file: %w", err)
		}
		if c.Key = strings.TrimSpace(string(text)); c.Key == "" {
			return nil, fmt.Errorf("key_file: %s is empty", s.KeyFile)
		}
	}
	return kept(NewRemote(c))
}

// kept returns a box, or nil after an error.
func kept[B Box](box B, err error) (Box, error) {
	if err != nil {
		return nil, err
	}
	return box, nil
}

// Open opens the sandbox. Below the floor it fails, by an error that wraps [sandbox.ErrWeak]; no
// other back end takes its place. The caller must Close the box.
func Open(ctx context.Context, s Settings) (Box, error) {
	box, err := New(s)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	strength, err := box.Probe(ctx)
	if err == nil {
		err = strength.Err()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), box.Close())
	}
	return box, nil
}
