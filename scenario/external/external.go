// Package external plays scenarios that are programs of their own, in any language.
//
// A [Program] is a process behind pipes, several of them, or an HTTP server. It says what
// it is, opens episodes and answers replies, in the form of docs/formats/scenario.md. What
// it writes is not trusted: sizes, times and numbers are checked, and no fault becomes a
// reward. One that ends is started again.
package external

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
)

// A Program plays episodes. Many goroutines may use it at once.
type Program struct {
	how   Settings
	log   *slog.Logger
	hello *hello
	seats []*seat

	mu   sync.Mutex // held for seat.episodes and last
	last uint64     // the last number that a request got

	farewells sync.WaitGroup  // the ends of episodes that were given up
	work      context.Context //nolint:containedctx // it ends when the work that the program is for is to end
	ctx       context.Context //nolint:containedctx // it ends with the program
	stop      context.CancelFunc
}

// Open starts the program and asks what it is. Its standard error, a line at a time, goes to
// log. The program goes on when ctx ends, which only makes it hurry: the caller must Close it.
func Open(ctx context.Context, how Settings, log *slog.Logger) (*Program, error) {
	p := &Program{how: how, log: log, work: ctx}
	p.ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	processes := how.Processes
	if how.URL != "" {
		processes = 1
	}
	for range processes {
		p.seats = append(p.seats, &seat{starting: make(chan struct{}, 1)})
	}
	first := p.seats[0]
	var err error
	if first.link, p.hello, err = p.connect(ctx); err != nil {
		p.stop()
		return nil, fmt.Errorf("scenario %s: %w", p.name(), err)
	}
	return p, nil
}

// name is how people know the program.
func (p *Program) name() string {
	if p.hello != nil {
		return p.hello.Name
	}
	return p.how.Command + p.how.URL
}

// Close ends the program: its standard input is closed; if it does not end, it is told to, and
// then killed. No episode may be open.
func (p *Program) Close() {
	p.stop()
	p.farewells.Wait()
	var ends sync.WaitGroup
	for _, s := range p.seats {
		if s.link != nil {
			ends.Go(s.link.close)
		}
	}
	ends.Wait()
}

// number returns the number of another request.
func (p *Program) number() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	return p.last
}

// connect starts a process of the program, or reaches its server, and asks what it is.
func (p *Program) connect(ctx context.Context) (link, *hello, error) {
	l, err := p.dial()
	if err != nil {
		return nil, nil, err
	}
	a, err := l.ask(ctx, &request{ID: p.number(), Hello: &greeting{Protocol: protocol}})
	if none, is := errors.AsType[lostError](err); is {
		err = fmt.Errorf("does not answer; does it run? %w", none.fault) // there is no episode yet
	}
	if err == nil {
		err = a.isHello()
	}
	if err != nil {
		l.close()
		return nil, nil, err
	}
	l.widen(a.Hello.Parallel)
	return l, a.Hello, nil
}

// dial starts a process of the program, or returns the link to its server.
func (p *Program) dial() (link, error) {
	if p.how.URL != "" {
		return newServer(p.how), nil
	}
	return startProcess(p.how, p.log)
}

// A link carries requests to a process or a server. Many goroutines may use it at once.
type link interface {
	// ask returns the answer to a request. The error is [quintain.ErrLost] if the program
	// never had the request.
	ask(context.Context, *request) (*answer, error)

	// widen lets n requests be asked at once. At first it is 1. Nothing may be under way.
	widen(n int)

	// gone returns whether an episode or more was played, and why the link takes no more
	// requests: nil if it does.
	gone() (played bool, fault error)

	// close ends it.
	close()
}
