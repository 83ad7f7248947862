// Command trial measures trials of sandbox/box: their start, calls, memory and removal.
//
//	go run ./bench/trial [--image FOLDER] [-n 200] [--jobs 1] [--phases] [--keep] [--calls 1000]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/sandbox/box"
)

// A bench is what is measured, and of what.
type bench struct {
	image, scratch string
	n, jobs, calls int
	phases, keep   bool
	lowers         []box.Lower
}

func main() {
	var b bench
	flag.StringVar(&b.image, "image", "", "a `folder` with a root file system; none: the machine's own folders")
	flag.StringVar(&b.scratch, "scratch", os.TempDir(), "the `folder` for trials")
	flag.IntVar(&b.n, "n", 200, "`trials`")
	flag.IntVar(&b.jobs, "jobs", 1, "trials at `once`")
	flag.BoolVar(&b.phases, "phases", false, "two phases a trial, each runs true")
	flag.BoolVar(&b.keep, "keep", false, "keep all open, and measure their memory")
	flag.IntVar(&b.calls, "calls", 0, "`calls` of bash in one session, instead")
	flag.Parse()
	if err := b.run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "trial:", err)
		os.Exit(1)
	}
}

// run makes the image, and measures.
func (b *bench) run(ctx context.Context) error {
	if b.image != "" {
		b.lowers = []box.Lower{{Dir: b.image}}
	} else {
		base, err := os.MkdirTemp(b.scratch, "quintain-bench-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(base) }()
		if b.lowers, err = machine(base); err != nil {
			return err
		}
	}
	if b.calls > 0 {
		return b.measureCalls(ctx)
	}
	return b.measureTrials(ctx)
}

// machine makes a root file system of the machine's own folders.
func machine(base string) ([]box.Lower, error) {
	lowers := []box.Lower{{Dir: base}, {Dir: "/usr", At: "/usr"}}
	for _, name := range []string{"bin", "lib", "lib64", "sbin"} {
		target, err := os.Readlink("/" + name)
		if err == nil {
			if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
				return nil, err
			}
		} else if _, err := os.Stat("/" + name); err == nil {
			lowers = append(lowers, box.Lower{Dir: "/" + name, At: "/" + name})
		}
	}
	return lowers, os.Mkdir(filepath.Join(base, "etc"), 0o755)
}

// measureCalls measures calls in one session.
func (b *bench) measureCalls(ctx context.Context) error {
	t, s, err := b.open(ctx)
	if err != nil {
		return err
	}
	var took []time.Duration
	for range b.calls {
		began := time.Now()
		r, err := s.Run(ctx, box.Command{Args: []string{"bash", "--noprofile", "--norc", "-c", "true"}, State: true})
		if err != nil || r.Exit != 0 {
			return fmt.Errorf("a call: status %d, %q: %w", r.Exit, r.Output, err)
		}
		took = append(took, time.Since(began))
	}
	fmt.Printf("%d calls of bash: %s\n", b.calls, quantiles(took))
	return finish(t, s)
}

// open starts a trial.
func (b *bench) open(ctx context.Context) (*box.Trial, *box.Session, error) {
	t, err := box.New(box.Options{Lowers: b.lowers, Scratch: b.scratch})
	if err != nil {
		return nil, nil, err
	}
	s, err := t.Start(ctx, box.Phase{Env: []string{"PATH=/usr/bin:/bin"}})
	return t, s, err
}

// finish ends a session and its trial.
func finish(t *box.Trial, s *box.Session) error {
	if err := s.Close(); err != nil {
		return err
	}
	return t.Close()
}

// measureTrials measures starts.
func (b *bench) measureTrials(ctx context.Context) error {
	var mu sync.Mutex
	var took []time.Duration
	var live []func() error
	var failed error
	before, began := available(), time.Now()
	next := make(chan struct{})
	var workers sync.WaitGroup
	for range b.jobs {
		workers.Go(func() {
			for range next {
				d, end, err := b.one(ctx)
				mu.Lock()
				took = append(took, d)
				if live = append(live, end); err != nil {
					failed = err
				}
				mu.Unlock()
			}
		})
	}
	for range b.n {
		next <- struct{}{}
	}
	close(next)
	workers.Wait()
	all := time.Since(began)
	if failed != nil {
		return failed
	}
	fmt.Printf("%d trials, %d at once: until the end of the first program %s; %.0f trials/s\n", b.n, b.jobs, quantiles(took), float64(b.n)/all.Seconds())
	if !b.keep {
		return nil
	}
	fmt.Printf("%d open: %.2f MB each of MemAvailable\n", b.n, float64(before-available())/1024/float64(b.n))
	began = time.Now()
	for _, end := range live {
		if err := end(); err != nil {
			return err
		}
	}
	fmt.Printf("all ended and removed in %v\n", time.Since(began).Round(time.Millisecond))
	return nil
}

// one starts a trial, and runs a program in it. If it stays open, the caller must end it.
func (b *bench) one(ctx context.Context) (took time.Duration, end func() error, err error) {
	began := time.Now()
	t, s, err := b.open(ctx)
	if err != nil {
		return 0, nil, err
	}
	if _, err := s.Run(ctx, box.Command{Args: []string{"true"}}); err != nil {
		return 0, nil, err
	}
	took = time.Since(began)
	if b.phases {
		if err := s.Close(); err != nil {
			return 0, nil, err
		}
		if s, err = t.Start(ctx, box.Phase{Env: []string{"PATH=/usr/bin:/bin"}}); err != nil {
			return 0, nil, err
		}
		if _, err := s.Run(ctx, box.Command{Args: []string{"true"}}); err != nil {
			return 0, nil, err
		}
	}
	if b.keep {
		return took, func() error { return finish(t, s) }, nil
	}
	return took, nil, finish(t, s)
}

// quantiles tells how times are spread.
func quantiles(all []time.Duration) string {
	slices.Sort(all)
	at := func(q float64) float64 {
		return float64(all[min(len(all)-1, int(q*float64(len(all))))].Microseconds()) / 1000
	}
	return fmt.Sprintf("p50 %.2f ms, p90 %.2f, p99 %.2f, max %.2f", at(0.5), at(0.9), at(0.99), at(1))
}

// available is the memory that the kernel has to give, in KiB.
func available() (kib int64) {
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(text)) {
		if _, err := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); err == nil {
			return kib
		}
	}
	return 0
}
