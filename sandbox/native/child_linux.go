//go:build amd64 || arm64

package native

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/quintain-rl/quintain/sandbox"
)

// A talk connects a program that lasts. Nil: the program does not.
type talk struct {
	Talk
	in      *io.PipeReader
	started chan struct{} // closed once there is a process
}

// environ are the program's own variables.
func (t *talk) environ() []string {
	if t == nil {
		return nil
	}
	return t.Environ[:len(t.Environ):len(t.Environ)]
}

// close has nobody wait for more input.
func (t *talk) close() {
	if t != nil {
		_ = t.in.Close()
	}
}

// Start starts a job that lasts, and may talk as much as it likes: Stdin, Fetch, and the limits of Output and Idle
// have no use. The caller must Kill it, or close its input and have it end, and Wait, before it closes the box. A program
// that the kernel does not start ends at once.
func (b *Box) Start(job sandbox.Job, with Talk) (*Child, error) {
	if err := job.Limits.Check(); err != nil {
		return nil, err
	}
	if err := b.allows(job.Limits.Filled()); err != nil {
		return nil, err
	}
	if err := job.Check(); err != nil {
		return nil, err
	}
	r, err := b.ready(job)
	if err != nil {
		return nil, err
	}
	in, out := io.Pipe()
	r.talk = &talk{with, in, make(chan struct{})}
	c := &Child{PipeWriter: out, run: r, ended: make(chan struct{})}
	c.over.Go(func() {
		defer close(c.ended)
		c.result, c.err = r.run(context.Background())
		if e := r.leave(); e != nil && c.err == nil {
			c.err = fmt.Errorf("the sandbox: %w", e)
		}
		r.talk.close()
	})
	select {
	case <-r.talk.started:
	case <-c.ended:
	}
	return c, nil
}

// Terminate asks the program to end.
func (c *Child) Terminate() { c.end(func() { c.run.signal(unix.SIGTERM) }) }

// Kill ends the program.
func (c *Child) Kill() { c.end(func() { c.run.kill(cancelled) }) }

// end calls how if there is a process.
func (c *Child) end(how func()) {
	select {
	case <-c.run.talk.started:
		how()
	default:
	}
}

// signal signals the child, unless it has ended.
func (r *running) signal(signal unix.Signal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.over {
		_ = unix.Kill(r.pid, signal)
	}
}

// pass passes on what the program reads and writes.
func (r *running) pass(group *sync.WaitGroup, pipes *pipes) {
	group.Go(func() {
		_, _ = io.Copy(pipes.stdin, r.talk.in) // it need not read
		_ = pipes.stdin.Close()
		r.talk.close()
	})
	for from, to := range map[*os.File]io.Writer{pipes.stdout: r.talk.Out, pipes.stderr: r.talk.Err} {
		group.Go(func() {
			if _, err := io.Copy(to, from); err != nil {
				r.kill(cancelled)
				_ = from.Close()
			}
		})
	}
}
