//go:build !nowasm

package wasm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/sandbox"
)

// missing is why there is no such sandbox; nil: there is.
func missing() error { return nil }

// Child is the life of a child: it loads a program, locks itself in, and runs jobs until its parent
// wants no more. It returns the exit status of the process.
func Child() int {
	c := &child{in: bufio.NewReader(os.Stdin), out: os.Stdout}
	if err := c.live(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A child is the process that runs jobs.
type child struct {
	in  io.Reader
	mu  sync.Mutex // of out
	out io.Writer

	space   int64 // of addresses, before the first job
	runtime wazero.Runtime
	program wazero.CompiledModule
}

// maxSetup is the most bytes of a setup.
const maxSetup = 64 << 10

// live is the life of a child.
func (c *child) live(ctx context.Context) error {
	var s setup
	if err := c.hear(kindSetup, maxSetup, &s); err != nil {
		return err
	}
	told := ready{}
	if err := c.load(ctx, s); err != nil {
		told.Fault = err.Error()
	} else if told.Layers, err = c.lockIn(); err != nil {
		told.Fault = err.Error()
	}
	told.CPU = spentHere()
	if err := c.say(kindReady, told); err != nil || told.Fault != "" {
		return err
	}
	debug.SetGCPercent(-1) // to collect, Go waits for the program's next call of ours, which may never come
	for {
		var job order
		err := c.hear(kindOrder, maxOrder, &job)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.say(kindEnded, c.watched(ctx, job)); err != nil {
			return err
		}
		runtime.GC()
	}
}

// wasmLayer is the layer that holds everywhere.
func wasmLayer() sandbox.Layer {
	return sandbox.Layer{Name: LayerWASM, Holds: true, Note: "wazero 1.12, files in memory, no network"}
}

// maxOrder is the most bytes of an order, which comes from the parent.
const maxOrder = 1 << 40

// hear waits for a message.
func (c *child) hear(want kind, most int64, to any) error {
	k, body, err := receive(c.in, most)
	if err != nil {
		return err
	}
	if k != want {
		return fmt.Errorf("the parent sent %q, want %q", k, want)
	}
	return jsonform.Unmarshal(body, to)
}

// say sends a message.
func (c *child) say(k kind, message any) error {
	body, err := jsonform.Marshal(message)
	if err != nil {
		return err
	}
	return c.send(k, body)
}

// send sends a message's bytes.
func (c *child) send(k kind, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return send(c.out, k, body)
}

// load compiles a program, or reads it from the cache.
func (c *child) load(ctx context.Context, s setup) error {
	content, err := s.File.read()
	if err != nil {
		return err
	}
	config := wazero.NewRuntimeConfig().WithDebugInfoEnabled(false) // a stack of an ended program takes a second by it
	if s.Cache != "" {
		if err := os.MkdirAll(s.Cache, 0o700); err != nil {
			return err
		}
		cache, err := wazero.NewCompilationCacheWithDir(s.Cache)
		if err != nil {
			return err
		}
		config = config.WithCompilationCache(cache)
	}
	c.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, c.runtime); err != nil {
		return err
	}
	if c.program, err = c.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.NumCPU()), content); err != nil {
		return err
	}
	return c.stub(ctx)
}

// stub gives the program functions that do nothing, in place of those that are not of WASI.
func (c *child) stub(ctx context.Context) error {
	hosts := map[string]wazero.HostModuleBuilder{}
	for _, f := range c.program.ImportedFunctions() {
		module, name, _ := f.Import()
		if module == wasi_snapshot_preview1.ModuleName {
			continue
		}
		if hosts[module] == nil {
			hosts[module] = c.runtime.NewHostModuleBuilder(module)
		}
		nothing := api.GoModuleFunc(func(_ context.Context, _ api.Module, stack []uint64) { clear(stack) })
		hosts[module].NewFunctionBuilder().WithGoModuleFunction(nothing, f.ParamTypes(), f.ResultTypes()).Export(name)
	}
	for _, host := range hosts {
		if _, err := host.Instantiate(ctx); err != nil {
			return err
		}
	}
	return nil
}

// watched runs a job, and ends the process if it takes too long. The parent does that too, where
// it can look at a child.
func (c *child) watched(ctx context.Context, job order) ended {
	before := spentHere()
	limitCPU(before + job.Limits.CPU + time.Second)
	c.limitMemory(job.Limits.Memory + 2*job.Limits.Disk + slack)
	over := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		ticks := time.NewTicker(10 * time.Millisecond)
		defer ticks.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticks.C:
			}
			if cpu := spentHere() - before; cpu > job.Limits.CPU {
				_ = c.say(kindEnded, ended{End: sandbox.CPULimit, CPU: cpu})
				os.Exit(0)
			}
		}
	})
	result := c.run(ctx, job)
	close(over)
	group.Wait()
	result.CPU = max(spentHere()-before, 0)
	if result.CPU > job.Limits.CPU {
		result.End, result.Code = sandbox.CPULimit, 0
	}
	return result
}
