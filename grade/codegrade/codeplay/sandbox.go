package codeplay

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/scenario"
)

// A Runner is a [scenario.Play] that runs what a policy writes, in a sandbox.
type Runner interface {
	scenario.Play
	io.Closer // of the sandbox: no episode may be under way, and none may begin

	// In names the settings of the sandbox, which may change until Start.
	In(s *backend.Settings)

	// Start opens the sandbox, which otherwise the first program does. It fails if that is below the floor.
	Start() error
}

// New returns a play with the default settings. What it runs, it runs in the sandbox of s.
func New(spec scenario.Spec, s *backend.Settings) scenario.Play {
	play := spec.New()
	if r, ok := play.(Runner); ok {
		r.In(s)
	}
	return play
}

// A Sandbox is that of a [Runner], opened once. The zero value is that of the default settings. Many
// goroutines may use it.
type Sandbox struct {
	settings *backend.Settings // nil: the defaults
	once     sync.Once
	box      backend.Box // nil: none is open
	err      error
}

// In implements [Runner].
func (b *Sandbox) In(s *backend.Settings) { b.settings = s }

// open opens the sandbox and makes it ready, unless that was done before.
func (b *Sandbox) open(ready func() error) error {
	b.once.Do(func() {
		if b.box, b.err = backend.Open(context.Background(), b.settings.With(codegrade.Python())); b.err == nil {
			b.err = ready()
		}
	})
	return b.err
}

// Close implements [io.Closer].
func (b *Sandbox) Close() error {
	b.once.Do(func() { b.err = errors.New("the scenario is closed") })
	if b.box == nil {
		return nil
	}
	return b.box.Close()
}
