package codeplay

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

// A Host has the sandbox of a scenario whose episodes have sessions of Python. The zero value is that of
// the default settings. Many goroutines may use it.
type Host struct {
	once  sync.Once
	on    sandbox.Opener
	box   backend.Box // nil: none is open
	err   error
	slots chan struct{} // full: as many cells run as may at once

	sandbox *backend.Settings // nil: the defaults
	started atomic.Bool       // box is open, and has sessions
}

// In has cells run in the sandbox of settings, which may change until the first run.
func (h *Host) In(of *backend.Settings) { h.sandbox = of }

// Use has another sandbox run the cells, in place of that of the settings.
func (h *Host) Use(on sandbox.Opener) {
	h.once.Do(func() { h.on, h.slots = on, make(chan struct{}, runtime.NumCPU()) })
}

// Start opens the sandbox, which otherwise the first call does. It fails if that is below the floor.
func (h *Host) Start() error {
	h.once.Do(func() {
		h.slots = make(chan struct{}, runtime.NumCPU())
		if h.box, h.err = backend.Open(context.Background(), h.sandbox.With(codegrade.Python())); h.err != nil {
			return
		}
		var sessions bool
		if h.on, sessions = h.box.(sandbox.Opener); !sessions {
			h.err = errors.New("sandbox: it has no sessions, which the scenario needs: choose another one")
		}
		h.started.Store(h.err == nil)
	})
	return h.err
}

// Close closes the sandbox. No episode may be under way, and none may begin.
func (h *Host) Close() error {
	h.once.Do(func() { h.err = errors.New("the scenario is closed") })
	if h.box == nil {
		return nil
	}
	return h.box.Close()
}

// Setup describes what runs the cells. There is none before Start, and if another sandbox runs them.
func (h *Host) Setup(ctx context.Context) (*sandbox.Setup, error) {
	if !h.started.Load() {
		return nil, nil
	}
	return (&codegrade.Grader{Sandbox: h.box}).Setup(ctx)
}

// Print returns what a program in Python prints that a started sandbox runs.
func (h *Host) Print(ctx context.Context, program string) (sandbox.Result, error) {
	return h.box.Run(ctx, sandbox.Job{Argv: append(codegrade.Python(), "-c", program)})
}

// Turn waits for a turn to run a cell, in a started host or one in use. The caller must call done.
func (h *Host) Turn(ctx context.Context) (on sandbox.Opener, done func(), err error) {
	select {
	case h.slots <- struct{}{}:
		return h.on, func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, nil, context.Cause(ctx)
	}
}
