// Package wasm runs untrusted programs that are compiled to WebAssembly, such as an interpreter of
// Python, on wazero, in a child process that has no files at all. It needs nothing of the system:
// it works where the means of package native do not hold.
//
// A child is this same program, started again: the main function, and that of tests, must call
// [IsChild] first.
package wasm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/sandbox"
)

// Name is the name of the back end.
const Name = "wasm"

// Config says which programs there are. Nothing is built in.
type Config struct {
	Programs map[string]File // by the names that jobs call, such as python3
	Cache    string          // folder of compiled programs; empty: below the user's cache folder
	Jobs     int             // that a child runs, one after another; 0: one
	Parallel int             // jobs at the same time, others wait; 0: one for each processor
}

// A File is a program of WebAssembly for WASI preview 1.
type File struct {
	Path   string
	SHA256 string // hexadecimal; no other file is run
}

// The layers of the back end.
const (
	LayerWASM    = "webassembly"
	LayerSeccomp = "seccomp"
	LayerLimits  = "rlimits, watched"
)

// A Box is a sandbox with its children.
type Box struct {
	config Config
	slots  chan struct{} // jobs under way

	mu     sync.Mutex
	idle   map[string][]*process // by file and hash
	layers []sandbox.Layer       // as a child has found them
	closed bool
}

var _ sandbox.Sandbox = (*Box)(nil)

// New starts a child for each program, and waits until it has compiled it. The caller must Close
// the box.
func New(ctx context.Context, config Config) (*Box, error) {
	if os.Getenv(guard) != "" {
		return nil, errors.New("a child of the sandbox opens a sandbox: its main function must call IsChild first")
	}
	if len(config.Programs) == 0 {
		return nil, errors.New("the sandbox wasm needs a program, such as Python for WASI (docs/sandbox.md)")
	}
	for _, file := range config.Programs {
		if err := file.check(); err != nil {
			return nil, err
		}
	}
	if err := missing(); err != nil {
		return nil, err
	}
	if config.Parallel == 0 {
		config.Parallel = runtime.NumCPU()
	}
	config.Jobs = max(config.Jobs, 1)
	config.Cache = cacheFolder(config.Cache)
	b := &Box{config: config, slots: make(chan struct{}, config.Parallel), idle: map[string][]*process{}}
	for _, file := range config.Programs {
		if len(b.idle[file.key()]) > 0 {
			continue
		}
		p, err := b.take(ctx, file)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("the sandbox wasm: %s: %w", file.Path, err), b.Close())
		}
		b.layers = p.ready.Layers
		b.give(file, p)
	}
	return b, nil
}

// key is what makes two programs the same.
func (f File) key() string { return f.SHA256 + " " + f.Path }

// Close ends the children. No job may be running.
func (b *Box) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	for _, all := range b.idle {
		for _, p := range all {
			p.end()
		}
	}
	clear(b.idle)
	return nil
}

// take returns a child that has loaded a program. The caller must give or end it.
func (b *Box) take(ctx context.Context, file File) (*process, error) {
	p, err := b.next(file)
	if err != nil {
		return nil, err
	}
	if err := p.load(ctx); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

// next returns the child that is idle the longest, or a new one. If each child has one job, it sees to
// it that another one loads meanwhile.
func (b *Box) next(file File) (p *process, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, errors.New("the sandbox is closed")
	}
	if idle := b.idle[file.key()]; len(idle) > 0 {
		p, b.idle[file.key()] = idle[0], idle[1:]
	} else if p, err = start(b.config.Cache, file); err != nil {
		return nil, err
	}
	if b.layers == nil || b.config.Jobs > 1 || len(b.idle[file.key()]) > 0 { // at first, one child fills the cache for all
		return p, nil
	}
	spare, err := start(b.config.Cache, file)
	if err != nil {
		p.end()
		return nil, err
	}
	b.idle[file.key()] = append(b.idle[file.key()], spare)
	return p, nil
}

// give takes a child back after a job, or ends it if it has run all that it may.
func (b *Box) give(file File, p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || p.jobs >= b.config.Jobs || len(b.idle[file.key()]) >= b.config.Parallel {
		p.end()
		return
	}
	b.idle[file.key()] = append(b.idle[file.key()], p)
}

// Probe tells what a child has found, and the programs.
func (b *Box) Probe(ctx context.Context) (sandbox.Strength, error) {
	strength := sandbox.Strength{Backend: Name, Layers: slices.Clone(b.layers)}
	for _, name := range b.names() {
		layer := sandbox.Layer{Name: name, Holds: true, Note: "sha256 " + b.config.Programs[name].SHA256}
		if strings.HasPrefix(name, "python") {
			got, err := b.Run(ctx, sandbox.Job{Argv: []string{name, "-V"}})
			if err != nil {
				return sandbox.Strength{}, err
			}
			layer.Note = strings.TrimSpace(string(got.Stdout)) + ", " + layer.Note
		}
		strength.Layers = append(strength.Layers, layer)
	}
	return strength, nil
}

// names lists the programs.
func (b *Box) names() (names []string) {
	for name := range b.config.Programs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Run runs a job. See [sandbox.Sandbox].
func (b *Box) Run(ctx context.Context, job sandbox.Job) (result sandbox.Result, err error) {
	if err := job.Limits.Check(); err != nil {
		return result, err
	}
	limits := job.Limits.Filled()
	if limits.Processes > 1 {
		return result, fmt.Errorf("%w: jobs of the sandbox wasm have one process: %d processes, want 1", sandbox.ErrWeak, limits.Processes)
	}
	if err := job.Check(); err != nil {
		return sandbox.Result{End: sandbox.Refused, Why: err.Error()}, nil
	}
	file, known := b.config.Programs[job.Argv[0]]
	if name := job.Argv[0]; !known && strings.Contains(name, "/") && !strings.HasPrefix(name, "/") {
		return sandbox.Result{End: sandbox.Refused, Why: name + ": the sandbox wasm runs no programs of a job"}, nil
	} else if !known {
		return result, fmt.Errorf("%s: %w: it has %s", name, sandbox.ErrNoProgram, strings.Join(b.names(), ", "))
	}
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
	if err := ctx.Err(); err != nil {
		return result, err
	}
	p, err := b.take(ctx, file)
	if err != nil {
		return result, fmt.Errorf("the sandbox wasm: %w", err)
	}
	result, stays, err := p.run(ctx, order{job.Argv, job.Environ("/", "PWD=/"), job.Stdin, job.Files, job.Fetch, limits})
	if err != nil || !stays {
		p.end()
	} else {
		b.give(file, p)
	}
	if err != nil {
		return sandbox.Result{}, fmt.Errorf("the sandbox wasm: %w", err)
	}
	return result, nil
}
