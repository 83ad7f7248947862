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
// It refuses, with an error and without effect: a model of other sizes
// ([transformer.ErrSizes]); parameters that are not finite ([transformer.ErrNotFinite]);
// a version below the last one, as versions never fall within a sample.
func (p *Policy) SetWeights(m *transformer.Model, version int32) error {
	if m.Config() != p.config {
		return fmt.Errorf("tiny: weights of version %d: %w: %+v, want %+v", version, transformer.ErrSizes, m.Config(), p.config)
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

// ReadWeights reads a weights file for this vocabulary, with all that it holds: see
// [transformer.ReadCheckpoint], also for the errors. A file for another vocabulary is
// [transformer.ErrVocabulary], a model with another number of tokens
// [transformer.ErrSizes].
func ReadWeights(data []byte) (*transformer.Checkpoint, error) {
	c, err := transformer.ReadCheckpoint(data, Vocabulary)
	if err == nil {
		err = checkModel(c.Model)
	}
	if err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	return c, nil
}

// WriteWeights is c as a weights file that names this vocabulary, whatever c does. It
// refuses what ReadWeights would.
func WriteWeights(c transformer.Checkpoint, e transformer.Encoding) ([]byte, error) {
	c.Vocabulary = Vocabulary
	if err := checkModel(c.Model); err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	data, err := c.Bytes(e)
	if err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	return data, nil
}

// checkModel reports a model that does not fit the vocabulary, or is none.
func checkModel(m *transformer.Model) error {
	if n := m.Config().Vocab; n != Size {
		return fmt.Errorf("%w: a model of %d tokens, and the vocabulary %s has %d", transformer.ErrSizes, n, Vocabulary, Size)
	}
	return m.CheckFinite()
}
