// Package pool makes one policy of several servers of one model.
//
// A [Pool] knows which of its servers answer, gives each conversation to one of them, and
// lets only as many samples be under way as the servers can take; others wait here, in the
// order in which they came. What a server failed to answer another one is asked for. A
// [Generator] is a pool of servers that take tokens, a [Policy] one of any policies.
package pool

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/policy/remote"
)

// A Config makes a pool.
type Config struct {
	// URLs are the addresses of the servers, with or without /v1. File, if not empty,
	// names a file with further ones, one a line, which is read again every two seconds:
	// the server of a line that goes is given nothing more, and what is under way there
	// may end. Empty lines are skipped, and those that begin with #.
	URLs []string
	File string

	// Server holds the limits for each server, without its URL. Its Retries, Backoff,
	// MaxBackoff, Told and Stop are those of the pool: a retry goes to another server, if
	// there is one. MaxInFlight is how many samples are under way at once, in all servers
	// together; 0: 1024.
	Server remote.Config

	// Control adapts the number of samples under way to what the servers say of their
	// caches, by a [Law], up to Server.MaxInFlight. Servers that say nothing, as others
	// than vLLM and SGLang, are not controlled.
	Control bool

	// Admit is asked before a server is used, and again when it comes back, and returns
	// why it must not be, such as another model; nil: all may be.
	Admit func(ctx context.Context, url string) error

	// FailFast has requests fail with the cause while no server is up, and be retried as
	// after any fault. Else they wait until one is.
	FailFast bool

	Log *slog.Logger // nil: nothing is logged
}

// A Client speaks to one server.
type Client interface {
	CloseIdle() // closes the connections that no request is using
}

// A Pool is a pool of servers, each with a client of type C. Many goroutines may use it
// at once. While [Pool.Run] does not run, servers that nobody has to admit are all used,
// whether they answer or not, and others as they were when it ended.
type Pool[C Client] struct {
	cfg     Config
	connect func(remote.Config) (C, error)
	retry   *remote.Retry
	log     *slog.Logger

	mu       sync.Mutex // of what follows
	members  []*member[C]
	queue    list.List // of *request[C]: those that wait, the oldest first
	running  list.List // of *request[C]: those that run, the oldest first
	underWay int       // samples of those that run
	law      *Law
	probed   bool // Run runs
}

// startEach is the limit of each server that is controlled, to begin with: as many
// sequences as vLLM runs at once by default.
const startEach = 256

// New returns a pool whose clients are made by connect, without contacting a server. The
// error names the setting that is invalid.
func New[C Client](cfg Config, connect func(remote.Config) (C, error)) (*Pool[C], error) {
	if cfg.Server.MaxInFlight == 0 {
		cfg.Server.MaxInFlight = 1024
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pool[C]{
		cfg: cfg, connect: connect, log: cfg.Log, retry: remote.NewRetry(cfg.Server),
		law: NewLaw(startEach, cfg.Server.MaxInFlight),
	}
	urls, err := addresses(cfg.URLs, cfg.File)
	if err != nil {
		return nil, fmt.Errorf("pool: %w", err)
	}
	if len(urls) == 0 {
		return nil, errors.New("pool: no address of a server")
	}
	for _, url := range urls {
		m, err := p.join(url)
		if err != nil {
			return nil, fmt.Errorf("pool: %w", err)
		}
		if cfg.Admit == nil {
			m.state = Up
		}
		p.members = append(p.members, m)
	}
	return p, nil
}

// pollEvery is the time between two probes of a server that is up, and between two polls
// of the law; watchEvery that between two looks at the file of addresses.
const (
	pollEvery  = 5 * time.Second
	watchEvery = 2 * time.Second
)

// Run probes the servers and adapts the limits until ctx ends, and returns nil. It is
// called once. When it has returned, no goroutine of the pool is left.
func (p *Pool[C]) Run(ctx context.Context) error {
	var probes sync.WaitGroup
	defer probes.Wait()
	p.begin()
	defer p.end()
	follow := func(m *member[C]) { probes.Go(func() { p.follow(ctx, m) }) }
	for _, m := range p.list() {
		follow(m)
	}
	poll, watch := time.NewTicker(pollEvery), time.NewTicker(watchEvery)
	defer poll.Stop()
	defer watch.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
			p.poll()
		case <-watch.C:
			for _, m := range p.reread() {
				follow(m)
			}
		}
	}
}

// begin has servers be left out from now on.
func (p *Pool[C]) begin() { p.change(func() { p.probed = true }) }

// end has all servers be used, but for those that were not admitted.
func (p *Pool[C]) end() {
	p.change(func() {
		p.probed = false
		for _, m := range p.members {
			if m.state == Down && p.cfg.Admit == nil {
				m.state, m.fault = Up, nil
			}
		}
	})
}

// CloseIdle closes the connections that no request is using.
func (p *Pool[C]) CloseIdle() {
	for _, m := range p.list() {
		m.close()
	}
}

// list returns the members.
func (p *Pool[C]) list() []*member[C] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.members)
}

// up returns the clients of the servers that are up.
func (p *Pool[C]) up() (clients []C) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.members {
		if m.state == Up {
			clients = append(clients, m.client)
		}
	}
	return clients
}

// poll has the law adapt the limit, and aborts the youngest requests beyond it if it must
// be.
func (p *Pool[C]) poll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	loads := p.loads()
	if len(loads) == 0 {
		return
	}
	before := p.law.Limit()
	abort := p.law.Poll(time.Now(), p.underWay, loads)
	if limit := p.law.Limit(); limit != before {
		p.log.Info("the limit of samples under way changes", "from", before, "to", limit)
	}
	if abort {
		p.trim()
	}
	p.dispatch()
}

// loads are what the servers said last. It is called with the lock.
func (p *Pool[C]) loads() (loads []Load) {
	for _, m := range p.members {
		if m.state == Up && m.says {
			loads = append(loads, m.load())
		}
	}
	return loads
}

// limit is how many samples may be under way. It is called with the lock.
func (p *Pool[C]) limit() int {
	up, says := 0, 0
	for _, m := range p.members {
		if m.state != Up {
			continue
		}
		up++
		if m.says {
			says++
		}
	}
	p.law.Servers(up)
	if says == 0 {
		return p.cfg.Server.MaxInFlight
	}
	return p.law.Limit()
}
