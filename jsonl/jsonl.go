// Package jsonl works with JSON lines: [Answer] answers the lines of a stream, [Make]
// prints lines as fast as all cores make them, and a [Log] is a file of lines that only
// grows.
//
// Answer and Make keep the order of the lines, use a bounded amount of memory, and write
// what they have whenever they would have to wait, so that somebody who reads along, or a
// program that talks line by line, waits for nothing but the work itself.
package jsonl

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"sync"
)

// A batch is some lines on their way through a press.
type batch struct {
	first  int    // number of the first line
	count  int    // of lines to make
	in     []byte // lines to answer
	out    []byte // what becomes of them
	failed int    // lines that failed
	err    error  // the first failure; of a line that is made, it ends everything
	done   chan bool
}

// A press works on batches on all cores and writes the results in order.
type press struct {
	out io.Writer

	// source calls send with a batch for as long as there are some, and ends once send
	// returns false.
	source func(send func(fill func(*batch)) bool) error

	// worker returns what works on batches, for one goroutine.
	worker func() func(*batch)

	// after is told of each batch that was written, in order. An error ends the press.
	after func(*batch) error

	// reads says that source may wait for ever for input, in a call that nothing ends. The
	// press then ends without it.
	reads bool
}

// maxKept is the size up to which a buffer is used again.
const maxKept = 1 << 20

// run returns when all is written, after an error, or when ctx ends.
func (p *press) run(ctx context.Context) error {
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

// work works on batches until there are no more or ctx ends.
func (p *press) work(ctx context.Context, todo <-chan *batch) {
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

// write writes the batches in order. Before it waits, it writes out what it has.
func (p *press) write(ctx context.Context, order <-chan *batch, free chan<- *batch) error {
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

// firstError returns the first of two errors, the second of which is that of writing.
func firstError(err, writing error) error {
	if err == nil && writing != nil {
		return fmt.Errorf("writing: %w", writing)
	}
	return err
}

// reuse empties a buffer, and leaves a large one to the garbage collector.
func reuse(buffer []byte) []byte {
	if cap(buffer) > maxKept {
		return nil
	}
	return buffer[:0]
}

// next receives from a channel, and writes out what is buffered if it has to wait. It
// returns zero at the end of the channel, and the error of ctx when that ends.
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
