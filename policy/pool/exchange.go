package pool

import "time"

// An Exchange is a request that a server has answered.
type Exchange struct {
	Took  time.Duration // by that server
	Tries int           // until then, with those of other servers; 1 or more
	Exam  bool          // as in [quintain.Request]
}

// mostExchanges is how many exchanges of a server are kept until they are taken.
const mostExchanges = 10_000

// Exchanges returns the exchanges of each server since the call before, 10,000 of them
// at most, in the order of the servers of [Pool.Status].
func (p *Pool[C]) Exchanges() [][]Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([][]Exchange, len(p.members))
	for i, m := range p.members {
		all[i], m.answered = m.answered, nil
	}
	return all
}

// answer takes note of an exchange of m.
func (m *member[C]) answer(e Exchange) {
	if len(m.answered) < mostExchanges {
		m.answered = append(m.answered, e)
	}
}
