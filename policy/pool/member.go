package pool

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/policy/remote"
)

// A State is the state of a server in a pool.
type State string

// The states.
const (
	Down     State = "down"     // it does not answer, or has not yet; it gets probes, but no requests
	Up       State = "up"       // it gets requests
	Draining State = "draining" // its address has gone; requests in flight may finish
)

// A member is a server of the pool, guarded by the pool's lock.
type member[C Client] struct {
	url    string
	client C
	server *remote.Server // for probes
	wake   chan struct{}  // signals a change of state; holds one
	gone   chan struct{}  // closed when it has left the pool

	state    State
	fault    error // why it is down; nil: it is up, or unprobed
	failures int   // consecutive, while it is up
	outages  int   // consecutive: times that it went down, or stayed down
	underWay int   // samples
	answered []Exchange

	said atomic.Int64 // one more than the version of its weights that it reports; 0: it reports none
	told func() int32 // version of its weights otherwise
	old  bool         // its weights are too old to be of use
	out  bool         // it is left out for that
	outs int          // how often that began

	says      bool // it reports its load
	last      Load
	preempted int // in all
	counted   int // of these, known to the limiter
}

// patience is the time limit of a probe.
const patience = 10 * time.Second

// maxFailures is the number of consecutive failures after which an answering server counts
// as down.
const maxFailures = 3

// join returns a new member, which starts down.
func (p *Pool[C]) join(url string) (*member[C], error) {
	cfg := p.cfg.Server
	cfg.URL, cfg.Retries, cfg.Told = url, -1, nil
	m := &member[C]{url: url, state: Down, told: cfg.Version, wake: make(chan struct{}, 1), gone: make(chan struct{})}
	if p.cfg.Version != nil {
		m.told = func() int32 { return p.cfg.Version(url) }
	}
	cfg.Version, cfg.Said = m.told, func(version int32) { m.said.Store(int64(version) + 1) }
	var err error
	if m.client, err = p.connect(cfg); err != nil {
		return nil, err
	}
	cfg.URL, cfg.Timeout = remote.Root(url), patience
	if m.server, err = remote.New(cfg); err != nil {
		return nil, err
	}
	return m, nil
}

// close closes the idle connections.
func (m *member[C]) close() {
	m.client.CloseIdle()
	m.server.CloseIdle()
}

// follow probes m until ctx ends or m is gone.
func (p *Pool[C]) follow(ctx context.Context, m *member[C]) {
	defer m.server.CloseIdle()
	for p.probe(ctx, m); ; {
		timer := time.NewTimer(p.pause(m))
		select {
		case <-ctx.Done():
		case <-m.gone:
		case <-m.wake:
		case <-timer.C:
			p.probe(ctx, m)
		}
		timer.Stop()
		if ctx.Err() != nil || pause.Closed(m.gone) {
			return
		}
	}
}

// pause returns the time until the next probe of m. A server that went down is probed at
// once, because it may only have closed a connection, then less and less often.
func (p *Pool[C]) pause(m *member[C]) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.state != Down:
		return pollEvery
	case m.outages <= 1:
		return 0
	}
	return p.retry.Backoff(m.outages - 1)
}

// probe checks the health of m and reads its load.
func (p *Pool[C]) probe(ctx context.Context, m *member[C]) {
	ill := p.examine(ctx, m)
	var page []byte
	if ill == nil && p.cfg.Control {
		page, _ = m.server.Get(ctx, "metrics", "") // a server without metrics is not controlled
	}
	if ctx.Err() != nil {
		return
	}
	p.change(func() {
		switch {
		case ill == nil:
			m.note(page, time.Now())
			p.recovered(m)
		case m.state == Down:
			if m.fault == nil {
				p.log.Warn("a server cannot be used yet", "url", m.url, "err", ill)
			}
			m.fault = ill
			m.outages++
		default:
			fault, ok := errors.AsType[*remote.Error](ill)
			p.failed(m, ill, !ok || fault.Kind != remote.TooSlow)
		}
	})
}

// examine returns why m cannot be used.
func (p *Pool[C]) examine(ctx context.Context, m *member[C]) error {
	_, err := m.server.Get(ctx, "health", "")
	fault, ok := errors.AsType[*remote.Error](err)
	lacksRoute := ok && fault.Status >= 300 && fault.Status < 500
	if err != nil && !lacksRoute {
		return err
	}
	if p.cfg.Admit == nil || !p.isDown(m) {
		return nil
	}
	return p.cfg.Admit(ctx, m.url)
}

// isDown reports whether m is down.
func (p *Pool[C]) isDown(m *member[C]) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return m.state == Down
}

// note records a page of metrics.
func (m *member[C]) note(page []byte, now time.Time) {
	load, preempted, known := readLoad(page, now)
	if !known {
		return // its last load gets stale
	}
	if !m.says || preempted < m.preempted { // it has started or restarted
		m.counted = preempted
	}
	m.says, m.last, m.preempted = true, load, preempted
}

// load returns m's last load, with the preemptions since the one before.
func (m *member[C]) load() Load {
	load := m.last
	load.Preempted, m.counted = m.preempted-m.counted, m.preempted
	return load
}

// recovered records that m answers.
func (p *Pool[C]) recovered(m *member[C]) {
	if m.state == Down {
		p.log.Info("a server is up", "url", m.url)
		m.state, m.fault, m.failures = Up, nil, 0
	}
}

// failed records a failure of m. It takes m down at once if surely, else after several in a
// row.
func (p *Pool[C]) failed(m *member[C], fault error, surely bool) {
	m.failures++
	if p.probed && m.state == Up && (surely || m.failures >= maxFailures) {
		p.log.Warn("a server is down", "url", m.url, "err", fault)
		m.state, m.fault = Down, fault
		m.outages++
		m.awake()
	}
}

// awake signals to m's follower that its state has changed.
func (m *member[C]) awake() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}
