//go:build !linux || !(amd64 || arm64)

package native

import (
	"context"
	"fmt"
	"runtime"

	"github.com/quintain-rl/quintain/sandbox"
)

// probe finds nothing that holds.
func (b *Box) probe() (sandbox.Strength, error) {
	return sandbox.Strength{Backend: Name, Lacks: []string{"a back end for " + runtime.GOOS + "/" + runtime.GOARCH}}, nil
}

// Probe says that nothing holds here.
func (b *Box) Probe(context.Context) (sandbox.Strength, error) { return b.strength, nil }

// Run refuses every job.
func (b *Box) Run(context.Context, sandbox.Job) (sandbox.Result, error) {
	return sandbox.Result{}, fmt.Errorf("%w: native needs Linux on amd64 or arm64, this is %s/%s", sandbox.ErrWeak, runtime.GOOS, runtime.GOARCH)
}

// Open refuses every session.
func (b *Box) Open(context.Context, sandbox.Spec) (sandbox.Session, error) {
	_, err := b.Run(context.Background(), sandbox.Job{})
	return nil, err
}

// Start refuses every program.
func (b *Box) Start(sandbox.Job, Talk) (*Child, error) {
	_, err := b.Run(context.Background(), sandbox.Job{})
	return nil, err
}

// A running is no program.
type running struct{}

// zygotes are none.
type zygotes struct{}

// close ends none.
func (*zygotes) close() {}

// startZygotes starts none.
func (*Box) startZygotes() error { return nil }

// Terminate does nothing: no program runs here.
func (c *Child) Terminate() {}

// Kill does nothing.
func (c *Child) Kill() {}
