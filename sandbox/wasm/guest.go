//go:build !nowasm

package wasm

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/sys"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/wasm/memfs"
)

// A guest is a job's instance of the program.
type guest struct {
	c      *child
	job    order
	folder *memfs.Folder
	memory *memory
	why    sandbox.End // it was ended for; empty: it was not
}

// run runs a job in an instance of its own: memory, globals and files are new.
func (c *child) run(ctx context.Context, job order) ended {
	g := &guest{c: c, job: job, memory: &memory{limit: uint64(job.Limits.Memory)}}
	defer g.memory.Free()
	g.folder = memfs.New(memfs.Limits{FileSize: job.Limits.FileSize, Disk: job.Limits.Disk, Files: job.Limits.Files, Open: job.Limits.Open})
	g.folder.Full = func() { g.stop(sandbox.DiskLimit) }
	for name, content := range job.Files {
		g.folder.Put(name, content)
	}
	module, err := c.runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, g.memory), c.program, g.config())
	if module != nil {
		err = errors.Join(err, module.Close(ctx))
	}
	return g.end(err)
}

// config is what the program sees.
func (g *guest) config() wazero.ModuleConfig {
	files := wazero.NewFSConfig().(sysfs.FSConfig)
	config := wazero.NewModuleConfig().WithName("").WithArgs(g.job.Argv...).
		WithStdin(bytes.NewReader(g.job.Stdin)).
		WithStdout(&output{guest: g, kind: kindOut}).WithStderr(&output{guest: g, kind: kindErr}).
		WithFSConfig(files.WithSysFSMount(g.folder, "/")).
		WithRandSource(rand.Reader).WithSysWalltime().WithSysNanotime().WithSysNanosleep()
	for _, one := range g.job.Environ {
		name, value, _ := bytes.Cut([]byte(one), []byte("="))
		config = config.WithEnv(string(name), string(value))
	}
	return config
}

// stop ends the program from within one of its calls. It does not return.
func (g *guest) stop(why sandbox.End) {
	g.why = why
	panic(sys.NewExitError(1))
}

// end tells how the program ended. One that failed after it was refused memory ended at this limit.
func (g *guest) end(err error) ended {
	last := ended{End: sandbox.Exited, Peak: int64(g.memory.peak)}
	var exit *sys.ExitError
	switch {
	case g.why != "":
		last.End = g.why
		return last
	case errors.As(err, &exit):
		last.Code = int(exit.ExitCode() & math.MaxUint8)
	case err != nil:
		last.End, last.Code = sandbox.Signalled, abort
		_ = g.c.send(kindErr, fmt.Appendf(nil, "%.2000s\n", err)) // if it fails, so does the next message
	}
	if g.memory.refused && (last.Code != 0 || err != nil && exit == nil) {
		last.End, last.Code = sandbox.MemoryLimit, 0
		return last
	}
	if last.End == sandbox.Exited && len(g.job.Fetch) > 0 {
		last.Fetched = map[string][]byte{}
		most := g.job.Limits.Disk
		for _, name := range g.job.Fetch {
			if content, found := g.folder.Get(name, most); found {
				most -= int64(len(content))
				last.Fetched[name] = content
			}
		}
	}
	return last
}

// An output sends what the program writes to the parent, up to the limit.
type output struct {
	guest *guest
	kind  kind
	sent  int64
}

// Write implements [io.Writer].
func (o *output) Write(some []byte) (int, error) {
	room := o.guest.job.Limits.Output - o.sent
	part := some[:min(int64(len(some)), room)]
	if err := o.guest.c.send(o.kind, part); err != nil {
		return 0, err
	}
	o.sent += int64(len(part))
	if len(part) < len(some) {
		o.guest.stop(sandbox.OutputLimit)
	}
	return len(some), nil
}

// A memory is the memory of a program, within a limit.
type memory struct {
	limit   uint64
	space   []byte // all that it may have; nil: none is reserved yet
	peak    uint64
	refused bool
}

// Allocate implements [experimental.MemoryAllocator].
func (m *memory) Allocate(_, most uint64) experimental.LinearMemory {
	m.limit = min(m.limit, most)
	return m
}

// Reallocate implements [experimental.LinearMemory].
func (m *memory) Reallocate(size uint64) []byte {
	if m.space == nil {
		m.space = reserve(m.limit)
	}
	if size > uint64(len(m.space)) {
		m.refused = true
		return nil
	}
	m.peak = max(m.peak, size)
	return m.space[:size:size]
}

// Free implements [experimental.LinearMemory].
func (m *memory) Free() {
	if m.space != nil {
		release(m.space)
		m.space = nil
	}
}
