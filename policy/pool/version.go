package pool

import (
	"context"
	"slices"
	"sync"
)

// A Weights is the version of the weights on a server that is up.
type Weights struct {
	URL     string
	Version int32 // that the server reports, else the one told; -1: unknown
	Said    bool  // the server reports it
	Used    bool  // the server gets requests
}

// Ask asks the servers that are up for their versions, unless they have just reported them, and
// leaves out those with too old weights.
func (p *Pool[C]) Ask(ctx context.Context) {
	var asked sync.WaitGroup
	for _, c := range p.up() {
		if client, reports := any(c).(interface{ Version(context.Context) int32 }); reports {
			asked.Go(func() { client.Version(ctx) })
		}
	}
	asked.Wait()
	if p.cfg.Oldest != nil && ctx.Err() == nil {
		oldest := p.cfg.Oldest()
		p.change(func() { p.leaveOut(oldest) })
	}
}

// Versions returns the versions on the servers that are up, as last reported.
func (p *Pool[C]) Versions() (all []Weights) {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := p.used()
	for _, m := range p.members {
		if m.state == Up {
			version, said := m.version()
			all = append(all, Weights{m.url, version, said, slices.Contains(used, m)})
		}
	}
	return all
}

// version returns the version of m's weights, and whether m reports it.
func (m *member[C]) version() (version int32, said bool) {
	if said := m.said.Load(); said > 0 {
		return int32(said - 1), true
	}
	if m.told == nil {
		return 0, false
	}
	return m.told(), false
}

// used returns the servers that get requests: those that are up, but for those with too old
// weights. If all have too old weights, all are used: a request in the middle of an episode, or
// of an evaluation, would wait for ever if nobody loads newer ones. The caller holds the lock.
func (p *Pool[C]) used() (all []*member[C]) {
	var old []*member[C]
	for _, m := range p.members {
		switch {
		case m.state != Up:
		case m.old:
			old = append(old, m)
		default:
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return old
	}
	return all
}

// leaveOut finds the servers with weights older than oldest. The caller holds the lock.
func (p *Pool[C]) leaveOut(oldest int32) {
	for _, m := range p.members {
		version, _ := m.version()
		m.old = 0 <= version && version < oldest
	}
	used := p.used()
	for _, m := range p.members {
		if m.state == Up {
			p.name(m, !slices.Contains(used, m))
		}
	}
}

// name tells people, the first time, that a server is left out for its weights, and no longer.
func (p *Pool[C]) name(m *member[C], out bool) {
	if m.out == out {
		return
	}
	m.out = out
	version, _ := m.version()
	if out {
		m.outs++
	}
	switch {
	case m.outs > 1:
	case out:
		p.log.Warn("a server gets no more requests: what it samples would be dropped, because its weights are too old", "url", m.url, "version", version)
	default:
		p.log.Info("a server gets requests again", "url", m.url, "version", version)
	}
}
