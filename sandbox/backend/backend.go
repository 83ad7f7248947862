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
	"github.com/quintain-rl/quintain/settings"
)

// Settings choose a back end. The zero value is that of this machine's kernel.
type Settings struct {
	Kind string   // a name of a back end; empty: native
	Read []string // of native: more folders and files that programs may read

	Elsewhere Elsewhere

	// Python is how jobs of Python begin that native forks from an interpreter which has started
	// already; nil: it starts each. It is the caller's choice, and no setting.
	Python []string
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	if s.Kind == "" {
		s.Kind = native.Name
	}
	d.Text(&s.Kind, "backend", "sandbox that runs programs nobody trusts: native, by the Linux kernel; remote, on other machines; command, by another program; "+
		none.Choice+", by nothing but limits").OneOf(native.Name, remote.Name, command.Name, none.Choice).Flag("sandbox")
	d.Texts(&s.Read, "read", "more folders and files that programs may read in the native sandbox, such as an interpreter's").Flag("sandbox-read")
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
func New(s Settings) (Box, error) {
	if err := s.Elsewhere.check(cmp.Or(s.Kind, native.Name)); err != nil {
		return nil, err
	}
	switch s.Kind {
	case "", native.Name:
		box, err := native.New(native.Config{Read: s.Read, Zygote: s.Python})
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
	}
	return nil, fmt.Errorf("there is no sandbox %q", s.Kind)
}

// Open opens the sandbox. Below the floor it fails, by an error that wraps [sandbox.ErrWeak]; no
// other back end takes its place. The caller must Close the box.
func Open(ctx context.Context, s Settings) (Box, error) {
	box, err := New(s)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	strength, err := box.Probe(ctx)
	if err == nil && strength.Err() != nil {
		err = fmt.Errorf("%w; quintain sandbox probe says more", strength.Err())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), box.Close())
	}
	return box, nil
}
