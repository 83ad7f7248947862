package external

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
)

// patience is the time for a process to end after its standard input is closed, again after
// the signal, and again for its pipes; and for the last duties at the end of a run.
const patience = 2 * time.Second

// A process is one process of the program, behind pipes. It implements [link].
type process struct {
	how   Settings
	log   *slog.Logger
	child Child // set once begun is closed
	begun chan struct{}
	free  chan struct{} // filled for each request in the program

	writing sync.Mutex
	over    chan struct{} // closed once fault is set
	ended   chan struct{} // closed once the process has ended

	mu      sync.Mutex // guards the fields below
	waiting map[uint64]*call
	fault   error
	played  bool
	said    string // last line of its standard error

	watch sync.WaitGroup
}

// A call is a request in the program.
type call struct {
	timer  *time.Timer
	done   chan struct{} // closed once it is answered, or the process has ended
	answer *Answer
	err    error
}

// startProcess starts a process of how's command.
func startProcess(how Settings, log *slog.Logger) (*process, error) {
	words, err := how.words()
	if err != nil {
		return nil, fmt.Errorf("command: %w", err)
	}
	p := &process{
		how: how, log: log, free: make(chan struct{}, 1), begun: make(chan struct{}), over: make(chan struct{}), ended: make(chan struct{}), waiting: map[uint64]*call{},
	}
	const longest = 4 << 10 // of a log line, in bytes
	says := &Lines{Most: longest, Take: p.hear}
	answers := &Lines{Most: how.MaxBytes, Take: p.take, Long: func() error { return p.end(tooLong(how.MaxBytes)) }}
	if p.child, err = how.starter().Start(words, how.Env, answers, says); err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	close(p.begun)
	p.watch.Go(func() {
		err := p.child.Wait()
		close(p.ended)
		_ = says.Flush() // it is never an error
		p.refuse(p.exitFault(err))
	})
	return p, nil
}

// exitFault says how the process ended.
func (p *process) exitFault(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Errorf("the program ended: %s", HowEnded(err, clip(p.said)))
}

// ask implements [link]. If ctx ends, the program works on, and its answer is dropped.
func (p *process) ask(ctx context.Context, r *Request) (*Answer, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	select {
	case p.free <- struct{}{}:
	case <-p.over:
		return nil, lost(p.fault)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c := p.begin(r)
	if c == nil {
		return nil, lost(p.fault)
	}
	p.write(ctx, line)
	select {
	case <-c.done:
		return c.answer, c.err
	case <-ctx.Done():
		if r.Play != nil {
			p.giveUp(ctx, r.ID, c)
		}
		return nil, context.Cause(ctx)
	}
}

// begin registers a request and limits the time of its answer; nil: the program has ended.
func (p *process) begin(r *Request) *call {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault != nil {
		return nil
	}
	c := &call{done: make(chan struct{})}
	most := p.how.limit(r)
	c.timer = time.AfterFunc(most, func() {
		_ = p.end(fmt.Errorf("the program did not answer within %v, and was killed", most))
	})
	p.waiting[r.ID] = c
	return c
}

// write writes a line. It kills the program if that does not read the line soon after the
// end of ctx. A failed write is ignored: the process has ended, or will not answer in time.
func (p *process) write(ctx context.Context, line []byte) {
	p.writing.Lock()
	defer p.writing.Unlock()
	late, cancel := lateness(ctx)
	defer cancel()
	stop := context.AfterFunc(late, func() { _ = p.end(context.Cause(late)) })
	defer stop()
	_, _ = p.child.Write(line)
}

// lateness returns a context that ends some time after ctx.
func lateness(ctx context.Context) (context.Context, context.CancelFunc) {
	late, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if pause.For(late, patience) {
			cancel(context.Cause(ctx))
		}
	})
	return late, func() { stop(); cancel(nil) }
}

// take takes a line of the program's standard output. A line that is no answer ends the
// process.
func (p *process) take(line []byte) error {
	a, err := readAnswer(line)
	switch {
	case err != nil:
		return p.end(fmt.Errorf("a line of its standard output is no answer: %w: %s", err, clip(string(line))))
	case !p.answered(a):
		return p.end(fmt.Errorf("it answers request %d, which is not waiting", a.ID))
	}
	return nil
}

// answered gives an answer to its waiting call.
func (p *process) answered(a *Answer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.waiting[a.ID]
	if c == nil {
		return false
	}
	delete(p.waiting, a.ID)
	p.played = p.played || a.Hello == nil
	c.timer.Stop()
	c.answer = a
	<-p.free
	close(c.done)
	return true
}

// hear takes a line of the program's standard error.
func (p *process) hear(line []byte) error {
	p.log.Info("the program of the scenario says", "text", string(line))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.said = string(line)
	return nil
}

// end kills the process, and returns the fault.
func (p *process) end(fault error) error {
	p.refuse(fault)
	<-p.begun
	p.child.Kill()
	return fault
}

// refuse ends all requests with a fault, and accepts no more. Only the first fault counts.
func (p *process) refuse(fault error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault != nil {
		return
	}
	p.fault = fault
	close(p.over)
	for _, c := range p.waiting {
		c.timer.Stop()
		c.err = fault
		close(c.done)
	}
	clear(p.waiting)
}

// widen implements [link].
func (p *process) widen(n int) { p.free = make(chan struct{}, n) }

// gone implements [link].
func (p *process) gone() (played bool, fault error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.played, p.fault
}

// close implements [link]. It returns when the process has ended.
func (p *process) close() {
	p.refuse(errClosed)
	_ = p.child.Close() // an error: it is closed already
	for _, then := range []func(){p.child.Terminate, p.child.Kill} {
		select {
		case <-p.ended:
		case <-time.After(patience):
			then()
		}
	}
	p.watch.Wait()
}

// errClosed is the fault of a closed link.
var errClosed = errors.New("the program is not needed any more")
