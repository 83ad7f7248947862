//go:build amd64 || arm64

package native

import (
	"context"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// Names of layers.
const (
	LayerLandlock  = "landlock"         // files, TCP, signals
	LayerSeccomp   = "seccomp"          // system calls, among them socket
	LayerUser      = "unprivileged"     // the program is not root
	LayerUserSpace = "user namespace"   // counts processes and threads
	LayerPIDSpace  = "pid namespace"    // a job of several processes ends whole
	LayerWatch     = "rlimits, watched" // processor, memory, disk
)

// Probe returns what New found.
func (b *Box) Probe(context.Context) (sandbox.Strength, error) { return b.strength, nil }

// probe tries each layer in a child of its own.
func (b *Box) probe() (sandbox.Strength, error) {
	s := sandbox.Strength{Backend: Name}
	layer := func(name, note string, err error) bool {
		if err != nil {
			note = err.Error()
		}
		s.Layers = append(s.Layers, sandbox.Layer{Name: name, Holds: err == nil, Note: note})
		return err == nil
	}
	abi := landlockABI()
	var weak error
	if abi < leastABI {
		weak = fmt.Errorf("its version is %d, want %d (Linux 6.7), and switched on (lsm=landlock)", abi, leastABI)
	}
	if !layer(LayerLandlock, fmt.Sprintf("version %d", abi), weak) {
		s.Lacks = append(s.Lacks, "no files but the job's")
	}
	if !layer(LayerSeccomp, "a filter of our own", b.tries(func(p *plan) { p.shut(-1, filtering{}) })) {
		s.Lacks = append(s.Lacks, "no network", "a sure kill")
	}
	if !layer(LayerUser, fmt.Sprintf("user %d", max(b.owner, os.Geteuid())), b.tries(func(p *plan) { p.become(b.owner, false, false) })) {
		s.Lacks = append(s.Lacks, "no files but the job's")
	}
	layer(LayerUserSpace, "", b.tries(func(p *plan) { p.become(b.owner, true, false) }))
	layer(LayerPIDSpace, "jobs may have several processes", b.tries(func(p *plan) { p.become(b.owner, true, true) }))
	if !layer(LayerWatch, "every 10 ms", b.tries(func(p *plan) { p.limit(sandbox.Limits{}.Filled(), false) })) {
		s.Lacks = append(s.Lacks, "bounded memory")
	}
	return s, nil
}

// tries reports whether a child can do what lay plans.
func (b *Box) tries(lay func(*plan)) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	r, w, err := pipe()
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(r) }()
	p := newPlan(w)
	lay(p)
	pid, err := p.start()
	_ = unix.Close(w)
	if err != nil {
		return fmt.Errorf("clone: %w", err)
	}
	records := readRecords(r)
	var status unix.WaitStatus
	if _, err := wait(pid, &status, nil); err != nil {
		return err
	}
	return p.failed(records)
}
