package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// How often progress is shown on a terminal, and in lines where there is none.
const (
	terminalEvery = 500 * time.Millisecond
	linesEvery    = 5 * time.Second
)

// A progress shows how a run goes on: a picture that is drawn over itself on a
// terminal, a line now and then elsewhere.
// Many goroutines may use it.
type progress struct {
	out      io.Writer
	terminal bool
	tally    *tally

	mu    sync.Mutex
	drawn int // lines of the picture that stand on the terminal
}

// Run shows progress until ctx is done.
func (p *progress) Run(ctx context.Context) error {
	every := linesEvery
	if p.terminal {
		every = terminalEvery
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			p.show()
		}
	}
}

// show prints the state of the run. What cannot be written is left out: the run
// matters more than its picture.
func (p *progress) show() {
	r := p.tally.report()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.terminal {
		fmt.Fprintf(p.out, "%s  %s\n", r.line(), r.scores())
		return
	}
	if p.drawn > 0 {
		fmt.Fprintf(p.out, "\x1b[%dA\x1b[J", p.drawn)
	}
	fmt.Fprintln(p.out, r.line())
	for _, name := range slices.Sorted(maps.Keys(r.Tasks)) {
		task := r.Tasks[name]
		fmt.Fprintf(p.out, "  %-20s %6d groups  score %.3f  %s\n", name, task.Groups, task.Last, task.spark)
	}
	p.drawn = len(r.Tasks) + 1
}

// note prints a line that stays.
func (p *progress) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintln(p.out, text)
	p.drawn = 0
}
