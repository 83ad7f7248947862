package pool

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/policy/remote"
)

// errTrimmed is the cause of a request aborted because the servers are too full.
var errTrimmed = errors.New("the servers are too full")

// A request is one request to a pool, guarded by the pool's lock.
type request[C Client] struct {
	key    string
	n      int           // samples
	within time.Duration // most time on a server; 0: no limit
	exam   bool          // it is for an evaluation
	avoid  *member[C]    // the server that has just failed it
	whole  bool          // never abort it: the tokens so far would be lost

	at      *member[C]
	err     error // why it is not served
	ready   chan struct{}
	place   *list.Element // in the queue, then among the running
	cancel  context.CancelCauseFunc
	trimmed bool
	tries   int           // attempts
	took    time.Duration // the server's time
}

// ask sends r to a server and, after a temporary fault, to another, up to the pool's
// retries. The error is a [*remote.Error], another error of call, or the cause of ctx.
func (p *Pool[C]) ask(ctx context.Context, r *request[C], call func(context.Context, C) error) (err error) {
	failed := p.retry.Do(ctx, func() *remote.Error {
		err = p.once(ctx, r, call)
		if errors.Is(err, quintain.ErrCancelled) {
			return nil
		}
		fault, _ := errors.AsType[*remote.Error](err)
		r.avoid = r.at
		return fault
	})
	if failed != nil {
		return failed
	}
	return err
}

// once waits for a server and makes one attempt.
func (p *Pool[C]) once(ctx context.Context, r *request[C], call func(context.Context, C) error) error {
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.cancel = cancel
	if err := p.enter(ctx, r); err != nil {
		return err
	}
	err := r.call(work, call)
	if fault, ok := errors.AsType[*remote.Error](err); ok && fault.URL == "" {
		fault.URL = r.at.url
	}
	p.leave(r, err)
	return err
}

// call makes an attempt within r's time limit.
func (r *request[C]) call(ctx context.Context, call func(context.Context, C) error) error {
	if r.within > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.within, quintain.ErrTimeout)
		defer cancel()
	}
	r.tries++
	start := time.Now()
	err := call(ctx, r.at.client)
	r.took = time.Since(start)
	if err != nil && errors.Is(context.Cause(ctx), quintain.ErrTimeout) {
		return &remote.Error{Kind: remote.TooSlow, Err: fmt.Errorf("no reply within %v", r.within)}
	}
	return err
}

// enter waits until r may begin, first come, first served.
func (p *Pool[C]) enter(ctx context.Context, r *request[C]) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r.at, r.err, r.ready, r.trimmed = nil, nil, make(chan struct{}), false
	p.change(func() { r.place = p.queue.PushBack(r) })
	select {
	case <-r.ready:
	case <-ctx.Done():
	case <-p.cfg.Server.Stop:
		p.change(func() {})
		select {
		case <-r.ready:
		case <-ctx.Done():
		}
	}
	return p.begun(ctx, r)
}

// begun returns why r, no longer waiting, does not begin.
func (p *Pool[C]) begun(ctx context.Context, r *request[C]) (err error) {
	p.change(func() {
		switch {
		case r.err != nil || ctx.Err() == nil:
			err = r.err
		case r.at == nil:
			p.queue.Remove(r.place)
			err = context.Cause(ctx)
		default: // it was admitted just now
			p.release(r)
			err = context.Cause(ctx)
		}
	})
	return err
}

// leave frees r's slot for the waiting requests, and records how r ended.
func (p *Pool[C]) leave(r *request[C], err error) {
	var fault remote.Error // a copy: the caller counts the attempts in the original
	if of, ok := errors.AsType[*remote.Error](err); ok {
		fault = *of
	}
	p.change(func() {
		p.release(r)
		switch {
		case err == nil && !r.trimmed:
			p.limiter.Ended(r.n)
			r.at.answer(Exchange{r.took, r.tries, r.exam})
			r.at.failures, r.at.outages = 0, 0
		case fault.Kind == remote.Unreachable:
			p.failed(r.at, &fault, true)
		case fault.Kind == remote.ServerFailed:
			p.failed(r.at, &fault, false)
		}
	})
}

// change changes the pool, then admits the requests that may begin.
func (p *Pool[C]) change(how func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	how()
	p.dispatch()
}

// release frees r's slot.
func (p *Pool[C]) release(r *request[C]) {
	p.running.Remove(r.place)
	p.underWay -= r.n
	r.at.underWay -= r.n
	p.retire(r.at)
}

// dispatch admits waiting requests while there is room. If no server is up and none is
// worth waiting for, it fails them.
func (p *Pool[C]) dispatch() {
	limit := p.limit()
	for p.queue.Len() > 0 {
		r := p.queue.Front().Value.(*request[C])
		if p.underWay > 0 && p.underWay+r.n > limit {
			return
		}
		if r.at = p.route(r); r.at == nil {
			stopped := pause.Closed(p.cfg.Server.Stop)
			if !stopped && !p.hopeless() {
				return
			}
			if r.err = p.outage(); stopped {
				r.err = remote.Stopped(r.err)
			}
		}
		p.queue.Remove(r.place)
		if r.at != nil {
			p.underWay += r.n
			r.at.underWay += r.n
			r.place = p.running.PushBack(r)
		}
		close(r.ready)
	}
}

// route returns the server for r, if possible another than the one that has just failed it;
// nil: none is up.
func (p *Pool[C]) route(r *request[C]) *member[C] {
	used := p.used()
	loads, ranks := make([]int, len(used)), make([]uint64, len(used))
	for i, m := range used {
		loads[i], ranks[i] = m.underWay, rank(r.key, m.url)
		if m == r.avoid && len(used) > 1 {
			loads[i] = -1
		}
	}
	if at := route(loads, ranks, r.n); at >= 0 {
		return used[at]
	}
	return nil
}

// trim aborts the youngest requests, of those that lose no tokens, down to the limit.
func (p *Pool[C]) trim() {
	over := p.underWay - p.limit()
	for e := p.running.Back(); e != nil && over > 0; e = e.Prev() {
		if r := e.Value.(*request[C]); !r.whole {
			r.trimmed = true
			r.cancel(errTrimmed)
			over -= r.n
		}
	}
}

// hopeless reports whether requests fail because every server is down, confirmed by a probe
// since it went down.
func (p *Pool[C]) hopeless() bool {
	return p.cfg.FailFast && !slices.ContainsFunc(p.members, func(m *member[C]) bool { return m.state != Down || m.outages < 2 })
}

// outage returns why no server is up.
func (p *Pool[C]) outage() error {
	for _, m := range p.members {
		if fault, ok := errors.AsType[*remote.Error](m.fault); ok {
			copied := *fault
			return &copied
		} else if m.fault != nil {
			return m.fault
		}
	}
	return errors.New("pool: no server has answered yet")
}
