package venv

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
	"github.com/quintain-rl/quintain/scenario/external"
)

// A Jail starts hosts in the sandbox of this machine: without network, with a folder of its own for each. It implements
// [external.Starter].
type Jail struct{ box *native.Box }

// NewJail returns a jail whose programs read some folders besides those of the system. The error says what to do where the
// machine has no sandbox. The caller must Close it.
func NewJail(ctx context.Context, read []string) (*Jail, error) {
	box, err := native.New(native.Config{Read: read, Own: true})
	if err != nil {
		return nil, err
	}
	strength, err := box.Probe(ctx)
	if err == nil {
		err = strength.Err()
	}
	if err != nil {
		_ = box.Close() // its folder is empty
		return nil, fmt.Errorf("isolate: %w; --with environment.isolate=none runs the environment with your rights", err)
	}
	return &Jail{box}, nil
}

// limits are those of a process of a host.
func limits() sandbox.Limits {
	const long = 366 * 24 * time.Hour
	return sandbox.Limits{CPU: long, Wall: long, Memory: 8 << 30, FileSize: 1 << 30, Disk: 2 << 30, Files: 50_000, Threads: 2048, Open: 1024}
}

// Start implements [external.Starter].
func (j *Jail) Start(words, env []string, out, errs io.Writer) (external.Child, error) {
	return j.box.Start(sandbox.Job{Argv: words, Limits: limits()}, native.Talk{Out: out, Err: errs, Environ: env})
}

// Close removes the folders. No program may run.
func (j *Jail) Close() error { return j.box.Close() }
