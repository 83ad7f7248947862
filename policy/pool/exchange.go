package pool

import "time"

// An Exchange is an answered request.
type Exchange struct {
	Took  time.Duration // the server's time
	Tries int           // attempts, on all servers; 1 or more
	Exam  bool          // as in [quintain.Request]
}

// mostExchanges limits the exchanges kept per server.
const mostExchanges = 10_000

// Exchanges returns each server's exchanges since the last call, at most 10,000, in the
// order of [Pool.Status].
func (p *Pool[C]) Exchanges() [][]Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([][]Exchange, len(p.members))
	for i, m := range p.members {
		all[i], m.answered = m.answered, nil
	}
	return all
}

// answer records an exchange of m.
func (m *member[C]) answer(e Exchange) {
	if len(m.answered) < mostExchanges {
		m.answered = append(m.answered, e)
	}
}
