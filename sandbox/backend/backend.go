// Package backend opens the sandbox that the settings choose. It is the one place that knows all
// back ends.
package backend

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/command"
	"github.com/quintain-rl/quintain/sandbox/native"
	"github.com/quintain-rl/quintain/sandbox/none"
	"github.com/quintain-rl/quintain/sandbox/remote"
	"github.com/quintain-rl/quintain/sandbox/wasm"
	"github.com/quintain-rl/quintain/settings"
)

// Settings choose a back end. The zero value is that of this machine's kernel.
type Settings struct {
	Kind string   // a name of a back end; empty: native
	Read []string // of native: more folders and files that programs may read

	Groups string // of native: a delegated folder of control groups, version 2; empty: none

	Elsewhere Elsewhere

	// Of wasm: Python for WASI by its file and SHA-256, the folder of compiled programs (empty: below
	// the user's cache folder), and how many jobs may have the same child.
	PythonFile, PythonSHA256, Cache string
	Jobs                            int

	// Python is how jobs of Python begin that native forks from an interpreter which has started
	// already; nil: it starts each. It is the caller's choice, and no setting.
	Python []string
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	if s.Kind == "" {
		s.Kind = native.Name
	}
	s.Jobs = max(s.Jobs, 1)
	d.Text(&s.Kind, "backend", "sandbox that runs programs nobody trusts: native, by the Linux kernel; wasm, by WebAssembly; remote, on other machines; command, by another program; "+
		none.Choice+", by nothing but limits").OneOf(native.Name, wasm.Name, remote.Name, command.Name, none.Choice).Flag("sandbox")
	d.Texts(&s.Read, "read", "more folders and files that programs may read in the native sandbox, such as an interpreter's").Flag("sandbox-read")
	d.Text(&s.Groups, "cgroup", "folder of control groups, version 2, that is delegated to this process, for the native sandbox: the kernel then counts the memory and the threads of each job; empty: a watcher does").Flag("sandbox-cgroup")
	d.Text(&s.PythonFile, "python", "file of Python for WASI, a program of WebAssembly, for the sandbox wasm").Flag("sandbox-python")
	d.Text(&s.PythonSHA256, "python_sha256", "hash of that file, SHA-256 in hexadecimal; no other file is run").Flag("sandbox-python-sha256")
	d.Text(&s.Cache, "cache", "folder of compiled programs of the sandbox wasm, which nobody else may write; empty: below the user's cache folder").Flag("sandbox-cache")
	d.Int(&s.Jobs, "jobs", "jobs that one process of the sandbox wasm runs, one after another; with more than 1, a fault of wazero could let a program change what later ones do").AtLeast(1).Flag("sandbox-jobs")
	s.Elsewhere.declare(d)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error { return s.Elsewhere.check(s.Kind) }

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
		f.Func(one.FlagName(), one.Help(), func(text string) error {
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
func New(ctx context.Context, s Settings) (Box, error) {
	if err := s.Elsewhere.check(cmp.Or(s.Kind, native.Name)); err != nil {
		return nil, err
	}
	switch s.Kind {
	case "", native.Name:
		box, err := native.New(native.Config{Read: s.Read, Zygote: s.Python, Groups: s.Groups})
		if err != nil {
			return nil, err
		}
		return box, nil
	case remote.Name, command.Name:
		return s.Elsewhere.open(s.Kind)
	case none.Choice:
		box, err := none.New()
		if err != nil {
			return nil, err
		}
		return box, nil
	case wasm.Name:
		return s.wasm(ctx)
	}
	return nil, fmt.Errorf("there is no sandbox %q", s.Kind)
}

// wasm opens the sandbox of WebAssembly.
func (s Settings) wasm(ctx context.Context) (Box, error) {
	if s.PythonFile == "" {
		return nil, errors.New("the sandbox wasm needs a file of Python for WASI: --sandbox-python (docs/sandbox.md says where there is one)")
	}
	python := wasm.File{Path: s.PythonFile, SHA256: s.PythonSHA256}
	box, err := wasm.New(ctx, wasm.Config{Programs: map[string]wasm.File{"python3": python, "python": python}, Cache: s.Cache, Jobs: s.Jobs})
	if err != nil {
		return nil, err
	}
	return box, nil
}

// IsChild reports whether this process is part of a sandbox, by its arguments. The main function
// of a program that opens one must call it first, and then do nothing but [Child].
func IsChild(args []string) bool { return wasm.IsChild(args) }

// Child is the life of such a process. It returns its exit status.
func Child() int { return wasm.Child() }

// Open opens the sandbox. Below the floor it fails, by an error that wraps [sandbox.ErrWeak]; no
// other back end takes its place. The caller must Close the box.
func Open(ctx context.Context, s Settings) (Box, error) {
	box, err := New(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	strength, err := box.Probe(ctx)
	if err == nil {
		err = s.floor(strength)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), box.Close())
	}
	return box, nil
}

// floor reports what a sandbox lacks, and what would help.
func (s Settings) floor(strength sandbox.Strength) error {
	err := strength.Err()
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%w; quintain sandbox probe says more", err)
	if s.Kind != wasm.Name && s.PythonFile != "" {
		err = fmt.Errorf("%w; --sandbox wasm runs the file of --sandbox-python here", err)
	}
	return err
}
