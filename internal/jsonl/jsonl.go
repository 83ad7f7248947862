// Package jsonl works with JSON lines: [Answer] answers the lines of a stream, [Make] makes
// lines on all cores and prints them, and a [Log] is an append-only file of lines.
//
// Answer and Make keep the order of the lines and use a bounded amount of memory. They
// flush before they wait: a program that talks to them line by line waits only for the work
// itself.
package jsonl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// A batch is a run of lines in a pipeline.
type batch struct {
	first  int    // number of the first line
	count  int    // of lines to make
	in     []byte // lines to answer
	out    []byte // result
	failed int    // lines that failed
	err    error  // first failure; for Make, it ends everything
	done   chan bool
}

// A pipeline works on batches on all cores and writes the results in order.
type pipeline struct {
	out io.Writer

	// source calls send for each batch, until send returns false. fill fills the batch.
	source func(send func(fill func(*batch)) bool) error

	// worker returns a function that works on batches, for one goroutine.
	worker func() func(*batch)

	// after runs for each written batch, in order. An error ends the pipeline.
	after func(*batch) error

	// reads says that source may wait for input in a call that nothing can stop. The pipeline
	// then does not wait for source.
	reads bool
}

// maxKept is the largest buffer worth reusing.
const maxKept = 1 << 20

// run returns when it has written everything, after an error, or when ctx ends.
func (p *pipeline) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	var workers, source sync.WaitGroup
	defer func() {
		stop()
		workers.Wait()
		if !p.reads {
			source.Wait()
		}
	}()
	cores := runtime.GOMAXPROCS(0)
	free := make(chan *batch, 4*cores)
	for range cap(free) {
		free <- &batch{done: make(chan bool, 1)}
	}
	todo, order := make(chan *batch, cap(free)), make(chan *batch, cap(free))
	for range cores {
		workers.Go(func() { p.work(ctx, todo) })
	}
	var sourceErr error
	source.Go(func() {
		defer close(order)
		defer close(todo)
		sourceErr = p.source(func(fill func(*batch)) bool {
			select {
			case b := <-free:
				fill(b)
				todo <- b
				order <- b
				return true
			case <-ctx.Done():
				return false
			}
		})
	})
	if err := p.write(ctx, order, free); err != nil {
		return err
	}
	return sourceErr
}

// work works on batches until none are left or ctx ends.
func (p *pipeline) work(ctx context.Context, todo <-chan *batch) {
	work := p.worker()
	for {
		select {
		case b, more := <-todo:
			if !more {
				return
			}
			work(b)
			b.done <- true
		case <-ctx.Done():
			return
		}
	}
}

// write writes the batches in order. It flushes out before it waits.
func (p *pipeline) write(ctx context.Context, order <-chan *batch, free chan<- *batch) error {
	buffered := bufio.NewWriterSize(p.out, 64<<10)
	for {
		b, err := next(ctx, order, buffered)
		if b == nil {
			return firstError(err, buffered.Flush())
		}
		if _, err := next(ctx, b.done, buffered); err != nil {
			return firstError(err, buffered.Flush())
		}
		if _, err := buffered.Write(b.out); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		if err := p.after(b); err != nil {
			return firstError(err, buffered.Flush())
		}
		b.in, b.out = reuse(b.in), reuse(b.out)
		b.failed, b.err = 0, nil
		free <- b
	}
}

// firstError returns err or, if that is nil, the error of writing.
func firstError(err, writing error) error {
	if err != nil || writing == nil {
		return err
	}
	return fmt.Errorf("writing: %w", writing)
}

// reuse empties a buffer, and leaves a large one to the garbage collector.
func reuse(buffer []byte) []byte {
	if cap(buffer) > maxKept {
		return nil
	}
	return buffer[:0]
}

// next receives from a channel, and flushes buffered if it has to wait. It returns zero
// when the channel is closed, and the error of ctx when that ends.
func next[T any](ctx context.Context, from <-chan T, buffered *bufio.Writer) (v T, err error) {
	if ctx.Err() != nil {
		return v, context.Cause(ctx)
	}
	select {
	case v = <-from:
		return v, nil
	default:
	}
	if err := buffered.Flush(); err != nil {
		return v, fmt.Errorf("writing: %w", err)
	}
	select {
	case v = <-from:
		return v, nil
	case <-ctx.Done():
		return v, context.Cause(ctx)
	}
}
