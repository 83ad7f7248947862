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
	LayerGroup     = "control group"    // memory and threads of all processes of a job
)

// Probe returns what New found.
func (b *Box) Probe(context.Context) (sandbox.Strength, error) { return b.strength, nil }

// probe tries each layer in a child of its own.
func (b *Box) probe() (sandbox.Strength, error) {
	s := sandbox.Strength{Backend: Name}
	layer := func(l sandbox.Layer, err error, lacks ...string) {
		if l.Holds, l.Floor = err == nil, lacks != nil; err != nil {
			l.Note = err.Error()
			s.Lacks = append(s.Lacks, lacks...)
		}
		s.Layers = append(s.Layers, l)
	}
	if b.abi = landlockABI(); b.config.abi > 0 {
		b.abi = min(b.abi, b.config.abi)
	}
	var weak error
	if b.abi < leastABI {
		weak = fmt.Errorf("its version is %d, want %d (Linux 5.19), and switched on (lsm=landlock)", b.abi, leastABI)
	}
	const files, network, kill, memory = "no files but the job's", "no network", "a sure kill", "bounded memory"
	layer(sandbox.Layer{Name: LayerLandlock, Note: fmt.Sprintf("version %d", b.abi)}, weak, files)
	layer(sandbox.Layer{Name: LayerSeccomp, Note: "a filter of our own"}, b.tries(func(p *plan) { p.shut(-1, filtering{}) }), network, kill)
	layer(sandbox.Layer{Name: LayerUser, Note: fmt.Sprintf("user %d", max(b.owner, os.Geteuid()))}, b.tries(func(p *plan) {
		if p.become(b.owner, false, false); b.stays() {
			p.strip()
		}
	}), files)
	layer(sandbox.Layer{Name: LayerUserSpace}, b.tries(func(p *plan) { p.become(b.owner, true, false) }))
	layer(sandbox.Layer{Name: LayerPIDSpace, Note: "jobs may have several processes"}, b.tries(func(p *plan) { p.become(b.owner, true, true) }))
	layer(sandbox.Layer{Name: LayerWatch, Note: "every 10 ms"}, b.tries(func(p *plan) { p.limit(sandbox.Limits{}.Filled(), false) }), memory)
	if b.config.Groups != "" { // without it there is no sandbox: whoever names it counts on it
		var err error
		if b.groups, err = openCgroups(b.config.Groups); err != nil {
			return s, err
		}
		layer(sandbox.Layer{Name: LayerGroup, Note: b.config.Groups}, nil)
	}
	return s, nil
}

// stays reports whether programs are root, without its privileges.
func (b *Box) stays() bool { return b.owner < 0 && os.Geteuid() == 0 }

// group makes the control group of a job; nil: there is none.
func (b *Box) group(limits sandbox.Limits) (*cgroup, error) {
	if b.groups == nil {
		return nil, nil
	}
	return b.groups.New(limits.Memory, 1+max(limits.Threads, limits.Processes)) // and the init of its namespace
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
