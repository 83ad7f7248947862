package tiny

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain/tiny/transformer"
)

// SetWeights makes the policy continue with a copy of m's parameters, from the next token
// of every sample on. The policy recomputes its caches for the samples in progress.
// version is that of the parameters. SetWeights only copies and does not wait for a
// token. The caller may change m when it returns.
//
// It has no effect and returns an error for a model of other sizes
// ([transformer.ErrSizes]), for non-finite parameters ([transformer.ErrNotFinite]), and
// for a version below the last one, since versions never fall within a sample.
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
	if p.next != nil { // not loaded yet
		p.spare = append(p.spare, p.next)
	}
	p.next, p.version = own, version
	return nil
}

// blank returns a copy of m, in spare memory if there is any.
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

// Version returns the version of the weights for the next token.
func (p *Policy) Version() int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version
}

// takeWeights returns the weights that wait for loading, or nil, and the version.
func (p *Policy) takeWeights() (*transformer.Model, int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.next
	p.next = nil
	return m, p.version
}

// giveBack returns the memory of loaded weights.
func (p *Policy) giveBack(m *transformer.Model) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare = append(p.spare, m)
}

// ReadWeights reads a weights file of the starter or, if there is a base, of the adapters of its
// model; see [transformer.ReadCheckpoint], also for the errors. It returns
// [transformer.ErrVocabulary] for a file for another vocabulary or base, and
// [transformer.ErrSizes] for a model of other sizes.
func ReadWeights(data []byte, base *Base) (*transformer.Checkpoint, error) {
	by := base.vocabulary()
	c, err := transformer.ReadCheckpoint(data, by.Vocabulary())
	if err == nil {
		err = base.attach(c)
	}
	if err == nil {
		err = checkModel(c.Model, by)
	}
	if err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	return c, nil
}

// WriteWeights encodes c as a weights file that names the vocabulary of the base, or [OwnName] if it
// is nil, and the base, whichever c names. It refuses whatever ReadWeights would refuse.
func WriteWeights(c transformer.Checkpoint, base *Base, e transformer.Encoding) ([]byte, error) {
	c.Vocabulary = base.vocabulary().Vocabulary()
	if err := checkModel(c.Model, base.vocabulary()); err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	if base != nil {
		c.Notes = base.note(c.Notes)
	}
	data, err := c.Bytes(e)
	if err != nil {
		return nil, fmt.Errorf("tiny: %w", err)
	}
	return data, nil
}

// noteVersion is the note of a weights file with the version of its weights.
const noteVersion = "version"

// WriteVersion encodes the weights of a version, exactly, as a weights file for [ReadVersion].
func WriteVersion(m *transformer.Model, base *Base, version int32) ([]byte, error) {
	notes := map[string]string{noteVersion: strconv.Itoa(int(version))}
	return WriteWeights(transformer.Checkpoint{Model: m, Notes: notes}, base, transformer.Float32)
}

// ReadVersion reads a file of [WriteVersion]. The errors are those of [ReadWeights], and
// [transformer.ErrForeign] for a file without a version.
func ReadVersion(data []byte, base *Base) (*transformer.Model, int32, error) {
	c, err := ReadWeights(data, base)
	if err != nil {
		return nil, 0, err
	}
	version, err := strconv.ParseInt(c.Notes[noteVersion], 10, 32)
	if err != nil || version < 0 {
		return nil, 0, fmt.Errorf("tiny: %w with a version: it notes %q", transformer.ErrForeign, c.Notes[noteVersion])
	}
	return c.Model, int32(version), nil
}

// checkModel reports a model that does not fit a vocabulary or has non-finite parameters. A language
// model may have further rows, for tokens that its tokenizer does not know.
func checkModel(m *transformer.Model, by Vocabulary) error {
	_, own := by.(Own)
	if n := m.Config().Vocab; n < by.Size() || own && n != Size {
		return fmt.Errorf("%w: the model has %d tokens, but the vocabulary %s has %d", transformer.ErrSizes, n, by.Vocabulary(), by.Size())
	}
	return m.CheckFinite()
}
