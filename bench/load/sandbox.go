package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/native"
)

// A SandboxLoad says what is measured.
type SandboxLoad struct {
	Times  int    // that each way runs, in turn with the others
	AtOnce int    // jobs at the same time, when a rate is measured
	Python string // the interpreter
	JSON   bool   // all times are printed, in place of a table
}

// DefaultSandbox returns the load of the figures in docs/benchmarks.md.
func DefaultSandbox() SandboxLoad {
	return SandboxLoad{Times: 200, AtOnce: 2 * runtime.NumCPU(), Python: "/usr/bin/python3"}
}

// Flags returns flags that set the load.
func (l *SandboxLoad) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("sandbox", flag.ExitOnError)
	f.IntVar(&l.Times, "times", l.Times, "runs in each way")
	f.IntVar(&l.AtOnce, "at-once", l.AtOnce, "runs at the same time, when a rate is measured")
	f.BoolVar(&l.JSON, "json", false, "print all times as one line of JSON")
	f.StringVar(&l.Python, "python", l.Python, "the interpreter of Python")
	return f
}

// Check reports the first invalid setting by the name of its flag.
func (l *SandboxLoad) Check() error {
	for name, n := range map[string]int{"times": l.Times, "at-once": l.AtOnce} {
		if n < 1 {
			return fmt.Errorf("%s: is %d, want 1 or more", name, n)
		}
	}
	return nil
}

// A SandboxRow is a measurement.
type SandboxRow struct {
	Plain   Cost `json:"plain"`
	Sandbox Cost `json:"sandbox"`
	Zygote  Cost `json:"zygote"`
}

// A Cost is what a way to run the interpreter takes.
type Cost struct {
	Wall []float64 `json:"wall_ms"` // of each run, by the clock
	CPU  []float64 `json:"cpu_ms"`  // of each run, on the processor
	Rate float64   `json:"rate"`    // runs a second, several at once
}

// show prints a table of medians, 95th percentiles and rates.
func (r SandboxRow) show(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "python3 -c pass\tmedian\t95 %\tprocessor\ta second")
	for _, one := range []struct {
		name string
		cost Cost
	}{{"plain", r.Plain}, {"in the sandbox", r.Sandbox}, {"by a zygote", r.Zygote}} {
		wall, cpu := slices.Sorted(slices.Values(one.cost.Wall)), slices.Sorted(slices.Values(one.cost.CPU))
		fmt.Fprintf(table, "%s\t%.1f ms\t%.1f ms\t%.1f ms\t%.0f\n", one.name, wall[len(wall)/2], wall[len(wall)*95/100], cpu[len(cpu)/2], one.cost.Rate)
	}
	return table.Flush()
}

// nothing are the flags of Python, and a program that does nothing.
var nothing = []string{"-I", "-S", "-c", "pass"}

// Run measures all ways.
func (l *SandboxLoad) Run(ctx context.Context) (row SandboxRow, err error) {
	argv := slices.Concat([]string{l.Python}, nothing)
	fresh, err := native.New(native.Config{})
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	warm, err := native.New(native.Config{Zygote: argv[:3]})
	if err != nil {
		return row, err
	}
	defer func() { err = errors.Join(err, warm.Close()) }()
	ways := []way{{"plain", plainly(argv), &row.Plain}, {"in the sandbox", in(fresh, argv), &row.Sandbox}, {"by a zygote", in(warm, argv), &row.Zygote}}
	for range l.Times {
		for _, w := range ways {
			if err := w.once(ctx); err != nil {
				return row, fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	for _, w := range ways {
		if w.cost.Rate, err = l.rate(ctx, w); err != nil {
			return row, fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return row, nil
}

// A way is one way to run the interpreter.
type way struct {
	name string
	run  func(ctx context.Context) (cpu time.Duration, err error)
	cost *Cost
}

// once runs it once, and notes what that took.
func (w way) once(ctx context.Context) error {
	began := time.Now()
	cpu, err := w.run(ctx)
	if err != nil {
		return err
	}
	w.cost.Wall = append(w.cost.Wall, time.Since(began).Seconds()*1000)
	w.cost.CPU = append(w.cost.CPU, cpu.Seconds()*1000)
	return nil
}

// rate returns how many runs a second there are, of l.AtOnce at the same time.
func (l *SandboxLoad) rate(ctx context.Context, w way) (float64, error) {
	began := time.Now()
	var next atomic.Int64
	var group sync.WaitGroup
	errs := make([]error, l.AtOnce)
	for i := range errs {
		group.Go(func() {
			for errs[i] == nil && next.Add(1) <= int64(l.Times) {
				_, errs[i] = w.run(ctx)
			}
		})
	}
	group.Wait()
	return float64(l.Times) / time.Since(began).Seconds(), errors.Join(errs...)
}

// in runs the interpreter in a sandbox.
func in(box sandbox.Sandbox, argv []string) func(ctx context.Context) (time.Duration, error) {
	return func(ctx context.Context) (time.Duration, error) {
		got, err := box.Run(ctx, sandbox.Job{Argv: argv})
		if err == nil && (got.End != sandbox.Exited || got.Code != 0) {
			err = fmt.Errorf("the interpreter ended: %s %d %s", got.End, got.Code, got.Stderr)
		}
		return got.CPU, err
	}
}

// plainly runs the interpreter without a sandbox.
func plainly(argv []string) func(ctx context.Context) (time.Duration, error) {
	return func(ctx context.Context) (time.Duration, error) {
		c := exec.CommandContext(ctx, argv[0], argv[1:]...)
		if err := c.Run(); err != nil {
			return 0, err
		}
		return c.ProcessState.UserTime() + c.ProcessState.SystemTime(), nil
	}
}

// measureSandbox measures what the sandbox of this machine costs: it starts an interpreter that
// does nothing, in turn plainly, in the sandbox, and forked by a zygote, and prints a table, or with
// -json all times, which bench/sandbox.py compares.
//
//	go run ./bench/load sandbox -times 500
func measureSandbox(ctx context.Context, args []string) error {
	load := DefaultSandbox()
	_ = load.Flags().Parse(args) // it ends the program
	if err := load.Check(); err != nil {
		return err
	}
	row, err := load.Run(ctx)
	if err != nil {
		return err
	}
	if load.JSON {
		return json.NewEncoder(os.Stdout).Encode(row)
	}
	return row.show(os.Stdout)
}
