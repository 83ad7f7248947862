package codeplay

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/sandbox"
)

// A Host is the sandbox of a scenario whose episodes have sessions of Python. The zero value is that of
// the default settings. Many goroutines may use it.
type Host struct {
	Sandbox
	on      sandbox.Opener
	slots   chan struct{} // full: as many cells run as may at once
	started atomic.Bool   // the box is open, and has sessions
}

// Use has another sandbox run the cells, in place of that of the settings.
func (h *Host) Use(on sandbox.Opener) {
	h.once.Do(func() { h.on, h.slots = on, make(chan struct{}, runtime.NumCPU()) })
}

// Start implements [Runner].
func (h *Host) Start() error {
	return h.open(func() error {
		on, ok := h.box.(sandbox.Opener)
		if !ok {
			return errors.New("sandbox: it has no sessions, which the scenario needs: choose another one")
		}
		h.on, h.slots = on, make(chan struct{}, runtime.NumCPU())
		h.started.Store(true)
		return nil
	})
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
