// Package external plays scenarios that are separate programs, in any language.
//
// A [Program] is one or more processes behind pipes, or an HTTP server. It introduces
// itself, opens episodes and answers replies, in the form of docs/formats/scenario.md. Its
// output is not trusted: sizes, times and numbers are checked, and no fault becomes a
// reward. A program that ends is restarted.
package external

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/quintain-rl/quintain/task/rng"
)

// A Program plays episodes. Many goroutines may use it at once.
type Program struct {
	how   Settings
	log   *slog.Logger
	dial  func() (link, error) // starts a process, or returns the link to a server or a guest
	hello *Hello
	slots []*slot

	passes []rng.Epochs // of the splits

	mu   sync.Mutex // guards slot.episodes and last
	last uint64     // number of the last request

	closing sync.WaitGroup  // ends of abandoned episodes
	work    context.Context //nolint:containedctx // ends with the run
	ctx     context.Context //nolint:containedctx // ends with the program
	stop    context.CancelFunc
}

// Open starts the program and asks it to introduce itself. Its standard error goes to log,
// line by line. The end of ctx does not stop the program, but makes it hurry: the caller
// must Close it.
func Open(ctx context.Context, how Settings, log *slog.Logger) (*Program, error) {
	dial := func() (link, error) { return startProcess(how, log) }
	if how.URL != "" {
		how.Processes = 1
		dial = func() (link, error) { return newServer(how), nil }
	}
	return open(ctx, how, log, dial)
}

// open is [Open] for links that dial makes.
func open(ctx context.Context, how Settings, log *slog.Logger, dial func() (link, error)) (*Program, error) {
	p := &Program{how: how, log: log, work: ctx, dial: dial}
	p.ctx, p.stop = context.WithCancel(context.WithoutCancel(ctx))
	for range how.Processes {
		p.slots = append(p.slots, &slot{starting: make(chan struct{}, 1)})
	}
	first := p.slots[0]
	var err error
	if first.link, p.hello, err = p.connect(ctx); err != nil {
		p.stop()
		_ = how.starter().Close() // nothing has run
		return nil, fmt.Errorf("scenario %s: %w", p.name(), err)
	}
	p.passes = p.hello.orders()
	return p, nil
}

// name returns the program's name for people.
func (p *Program) name() string {
	if p.hello != nil {
		return p.hello.Name
	}
	return p.how.name()
}

// Close ends the program: it closes its standard input, then sends a signal, then kills it.
// No episode may be open.
func (p *Program) Close() {
	p.stop()
	p.closing.Wait()
	var ends sync.WaitGroup
	for _, s := range p.slots {
		if s.link != nil {
			ends.Go(s.link.close)
		}
	}
	ends.Wait()
	if err := p.how.starter().Close(); err != nil {
		p.log.Warn("what the program of the scenario left stays", "fault", err)
	}
}

// number returns the number of a new request.
func (p *Program) number() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	return p.last
}

// connect starts a process of the program, or reaches its server, and asks for its hello.
func (p *Program) connect(ctx context.Context) (link, *Hello, error) {
	l, err := p.dial()
	if err != nil {
		return nil, nil, err
	}
	h, err := p.greet(ctx, l)
	if err != nil {
		l.close()
		return nil, nil, err
	}
	l.widen(h.Parallel)
	return l, h, nil
}

// greet asks for the program's hello.
func (p *Program) greet(ctx context.Context, l link) (*Hello, error) {
	a, err := l.ask(ctx, &Request{ID: p.number(), Hello: &Greeting{Protocol: protocol, Least: least}})
	if none, ok := errors.AsType[lostError](err); ok {
		return nil, fmt.Errorf("does not answer; does it run? %w", none.fault) // there is no episode yet
	}
	if err != nil {
		return nil, err
	}
	return a.Hello, a.isHello()
}

// A link carries requests to a process or a server. Many goroutines may use it at once.
type link interface {
	// ask returns the answer to a request. The error is [quintain.ErrLost] if the program
	// never got the request.
	ask(context.Context, *Request) (*Answer, error)

	// widen allows n concurrent requests, at first 1. No request may be in flight.
	widen(n int)

	// gone returns why the link takes no more requests, nil if it does, and whether it has
	// played an episode.
	gone() (played bool, fault error)

	// close ends the link.
	close()
}
