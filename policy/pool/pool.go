// Package pool combines several servers of one model into one policy.
//
// A [Pool] knows which of its servers answer, gives each conversation to one of them, and
// limits the samples in flight to what the servers can take; other requests wait in line. A
// request that one server fails goes to another. A [Generator] is a pool of token servers,
// a [Policy] a pool of any policies.
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

// A Config configures a pool.
type Config struct {
	// URLs are the addresses of the servers, with or without /v1. File, if not empty, names
	// a file of further addresses, one per line, which is read again every two seconds: a
	// server removed from it gets no new requests, and those in flight may finish. Empty
	// lines and lines that begin with # are skipped.
	URLs []string
	File string

	// Server holds the limits for each server; its URL is ignored. Its Retries, Backoff,
	// MaxBackoff, Told and Stop apply to the pool: a retry goes to another server, if there
	// is one. MaxInFlight limits the samples in flight on all servers together; 0: 1024.
	Server remote.Config

	// Control adapts the samples in flight to the servers' cache use, with a [Limiter], up
	// to Server.MaxInFlight. Servers that report none (all but vLLM and SGLang) are not
	// controlled.
	Control bool

	// Admit is called before a server is first used and when it comes back, and returns why
	// it must not be, such as another model; nil: admit all.
	Admit func(ctx context.Context, url string) error

	// Version returns the version of the weights told for the server at an address, and replaces
	// the Version of Server. Nil: the same one for all.
	Version func(url string) int32

	// Oldest returns the oldest version of weights whose tokens are of use. Servers with older
	// ones, when [Pool.Ask] is called, get no new requests while others are up. Nil: all are of use.
	Oldest func() int32

	// FailFast makes requests fail while no server is up, and be retried as after any
	// fault. Otherwise they wait for a server.
	FailFast bool

	Log *slog.Logger // nil: no logs
}

// A Client speaks to one server.
type Client interface {
	CloseIdle() // closes the idle connections
}

// A Pool is a pool of servers, each with a client of type C. Many goroutines may use it at
// once. Before and after [Pool.Run], servers that need no admission are all used, whether
// or not they answer; others keep the state in which Run left them.
type Pool[C Client] struct {
	cfg     Config
	connect func(remote.Config) (C, error)
	retry   *remote.Retry
	log     *slog.Logger

	mu       sync.Mutex // guards the fields below
	members  []*member[C]
	queue    list.List // of *request[C]: waiting, oldest first
	running  list.List // of *request[C]: running, oldest first
	underWay int       // running samples
	limiter  *Limiter
	probed   bool // while Run runs
}

// startEach is the initial limit of each controlled server: the sequences that vLLM runs at
// once by default.
const startEach = 256

// New returns a pool with clients from connect, without contacting a server. The error
// names the invalid setting.
func New[C Client](cfg Config, connect func(remote.Config) (C, error)) (*Pool[C], error) {
	if cfg.Server.MaxInFlight == 0 {
		cfg.Server.MaxInFlight = 1024
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pool[C]{
		cfg: cfg, connect: connect, log: cfg.Log, retry: remote.NewRetry(cfg.Server),
		limiter: NewLimiter(startEach, cfg.Server.MaxInFlight),
	}
	urls, err := addresses(cfg.URLs, cfg.File)
	if err != nil {
		return nil, fmt.Errorf("pool: %w", err)
	}
	if len(urls) == 0 {
		return nil, errors.New("pool: no server address")
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

// pollEvery is the time between two probes of a server that is up, and between two polls of
// the limiter; watchEvery is the time between two reads of the file of addresses.
const (
	pollEvery  = 5 * time.Second
	watchEvery = 2 * time.Second
)

// Run probes the servers and adapts the limits until ctx ends, then returns nil. Call it
// once. When it returns, no goroutine of the pool is left.
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

// begin starts leaving out servers that are down.
func (p *Pool[C]) begin() { p.change(func() { p.probed = true }) }

// end puts all servers to use, except those not admitted.
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

// CloseIdle closes the idle connections.
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

// poll lets the limiter adapt the limit, and aborts the youngest requests beyond it if
// necessary.
func (p *Pool[C]) poll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	loads := p.loads()
	if len(loads) == 0 {
		return
	}
	before := p.limiter.Limit()
	abort := p.limiter.Poll(time.Now(), p.underWay, loads)
	if limit := p.limiter.Limit(); limit != before {
		p.log.Info("the limit of samples in flight changes", "from", before, "to", limit)
	}
	if abort {
		p.trim()
	}
	p.dispatch()
}

// loads returns the servers' last loads. The caller holds the lock.
func (p *Pool[C]) loads() (loads []Load) {
	for _, m := range p.used() {
		if m.says {
			loads = append(loads, m.load())
		}
	}
	return loads
}

// limit returns the most samples in flight. The caller holds the lock.
func (p *Pool[C]) limit() int {
	used, says := p.used(), 0
	for _, m := range used {
		if m.says {
			says++
		}
	}
	p.limiter.Servers(len(used))
	if says == 0 {
		return p.cfg.Server.MaxInFlight
	}
	return p.limiter.Limit()
}
