package tiny

import (
	"fmt"

	"github.com/quintain-rl/quintain/transformer"
)

// SetWeights has the policy go on with a copy of m's parameters, as those of a version,
// from the next token of every sample on: what the samples under way hold of their
// tokens is computed anew. It copies, and waits for no token. The caller may change
// m when it returns.
//
// It refuses, with an error and without effect: a model of other sizes; parameters
// that are not finite ([transformer.ErrNotFinite]); a version below the last one, as
// versions never fall within a sample.
func (p *Policy) SetWeights(m *transformer.Model, version int32) error {
	if m.Config() != p.config {
		return fmt.Errorf("tiny: weights of version %d: sizes are %+v, want %+v", version, m.Config(), p.config)
	}
	if err := m.CheckFinite(); err != nil {
		return fmt.Errorf("tiny: weights of version %d: %w", version, err)
	}
	own := p.blank(m)
	p.mu.Lock()
	defer p.mu.Unlock()
	if version < p.version {
		p.spare = append(p.spare, own)
		return fmt.Errorf("tiny: weights of version %d after those of %d", version, p.version)
	}
	if p.next != nil { // nobody took them
		p.spare = append(p.spare, p.next)
	}
	p.next, p.version = own, version
	return nil
}

// blank returns a copy of m in memory that is spare, or new.
func (p *Policy) blank(m *transformer.Model) *transformer.Model {
	p.mu.Lock()
	var own *transformer.Model
	if last := len(p.spare) - 1; last >= 0 {
		own, p.spare = p.spare[last], p.spare[:last]
	}
	p.mu.Unlock()
	if own == nil || own.CopyFrom(m) != nil {
		return m.Clone()
	}
	return own
}

// Version is that of the weights that were set last. The next token has it.
func (p *Policy) Version() int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

// takeWeights returns weights that were set and not taken, or nil, and the version.
func (p *Policy) takeWeights() (*transformer.Model, int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.next
	p.next = nil
	return m, p.version
}

// giveBack returns the memory of weights that were taken.
func (p *Policy) giveBack(m *transformer.Model) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = append(p.spare, m)
}

// checkModel reports a model that does not fit the vocabulary.
func checkModel(m *transformer.Model) error {
	if n := m.Config().Vocab; n != Size {
		return fmt.Errorf("tiny: a model of %d tokens, and the vocabulary %s has %d", n, Vocabulary, Size)
	}
	return m.CheckFinite()
}
