package tiny

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A minibatch holds the rows of one update.
type minibatch struct {
	rows   []row
	scales []float64 // factor of the losses of each row's tokens
	loss   lossFunc
}

// update runs one update, or skips it because of a non-finite number. It does nothing
// without trained tokens. It counts the update in m; if it does not skip it, it adds its
// sums to all.
func (l *Learner) update(from minibatch, m *Metrics, all *sums) error {
	if !slices.ContainsFunc(from.rows, func(r row) bool { return r.count > 0 }) {
		return nil
	}
	found, report, err := l.descend(from)
	clear(l.pass.Grads())
	if errors.Is(err, transformer.ErrNotFinite) {
		return l.skip(m, err)
	}
	if err != nil {
		return err
	}
	l.skipped = 0
	m.Updates++
	m.GradNorm += (report.Norm - m.GradNorm) / float64(m.Updates)
	m.LearningRate = report.Rate
	all.merge(&found)
	return nil
}

// descend changes the weights by the gradients of a minibatch. For a non-finite number it
// changes nothing and returns [transformer.ErrNotFinite].
func (l *Learner) descend(from minibatch) (found sums, report transformer.StepReport, err error) {
	first := 0
	for _, end := range microBatches(from.rows, l.settings.MicroTokens) {
		part := minibatch{from.rows[first:end], from.scales[first:end], from.loss}
		if err := l.accumulate(part, &found); err != nil {
			return found, report, err
		}
		first = end
	}
	if !found.finite() {
		return found, report, fmt.Errorf("loss is %v: %w", found.loss, transformer.ErrNotFinite)
	}
	report, err = l.optimiser.Step(l.model, l.pass.Grads())
	return found, report, err
}

// accumulate adds the gradients of one micro-batch to those of the pass.
func (l *Learner) accumulate(from minibatch, found *sums) error {
	scores, err := l.pass.Forward(l.load(from.rows))
	if err != nil {
		return err
	}
	l.room(from.rows)
	for i := range from.rows {
		x := reading{scores.LogProbs[i], scores.Entropies[i], l.byLogProb[i], l.byEntropy[i]}
		from.loss(&from.rows[i], x, from.scales[i], found)
	}
	if l.settings.Entropy == 0 {
		return l.pass.Backward(l.byLogProb, nil)
	}
	return l.pass.Backward(l.byLogProb, l.byEntropy)
}

// room makes room for the derivatives of rows.
func (l *Learner) room(rows []row) {
	total := 0
	for i := range rows {
		total += len(rows[i].tokens)
	}
	if len(l.flat) < 2*total {
		l.flat = make([]float32, 3*total)
	}
	rest := l.flat
	l.byLogProb, l.byEntropy = l.byLogProb[:0], l.byEntropy[:0]
	for i := range rows {
		n := len(rows[i].tokens)
		l.byLogProb, l.byEntropy = append(l.byLogProb, rest[:n]), append(l.byEntropy, rest[n:2*n])
		rest = rest[2*n:]
	}
}

// skip counts a skipped update, because of why.
func (l *Learner) skip(m *Metrics, why error) error {
	l.skipped++
	m.Skipped++
	if l.skipped < l.settings.MaxSkipped {
		return nil
	}
	if err := l.model.CheckFinite(); err != nil {
		why = fmt.Errorf("weights: %w", err)
	}
	return fmt.Errorf("%w: %d updates in a row were skipped: %w", ErrDiverged, l.skipped, why)
}
