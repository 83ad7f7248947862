package tiny

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A Learner trains one model. Only one goroutine may use it at a time; it uses all
// processors itself.
type Learner struct {
	settings  Settings
	model     *transformer.Model
	reference *transformer.Pass // nil: none
	pass      *transformer.Pass
	optimiser *transformer.AdamW

	version int // steps taken
	skipped int // consecutive updates skipped so far

	tokens               [][]int32 // of the current micro-batch
	fixed                []int     // of its rows
	byLogProb, byEntropy [][]float32
	flat                 []float32 // memory of byLogProb and byEntropy
}

// NewLearner returns a learner at version 0 that changes the parameters of model: its adapters, if it
// has any, by AdamW. Other
// goroutines may read them, but not while a method of the learner runs. The reference is
// for the KL term; it must have the same sizes and must not change. If it is nil, the KL
// term uses the groups' own reference log-probabilities.
func NewLearner(model, reference *transformer.Model, s Settings) (*Learner, error) {
	if err := settings.Check(&s); err != nil {
		return nil, err
	}
	if s.Muon > 0 && model.Config().Rank > 0 {
		return nil, fmt.Errorf("muon: is %v, and the adapters of a language model are trained by AdamW alone: want 0", s.Muon)
	}
	optimiser, err := transformer.NewAdamW(model, s.adam(0))
	if err != nil {
		return nil, err
	}
	l := &Learner{settings: s, model: model, pass: transformer.NewPass(model), optimiser: optimiser}
	if reference != nil && s.KL > 0 {
		if reference.Config() != model.Config() {
			return nil, fmt.Errorf("sizes of the reference are %+v, want those of the model, %+v", reference.Config(), model.Config())
		}
		l.reference = transformer.NewPass(reference)
	}
	return l, nil
}

// adam returns the settings of the optimiser after a number of steps.
func (s *Settings) adam(steps int) transformer.AdamSettings {
	rate := s.LearningRate
	if s.DecaySteps > 0 {
		rate *= 1 - 0.9*min(1, float64(steps)/float64(s.DecaySteps))
	}
	return transformer.AdamSettings{Rate: rate, WarmUp: s.WarmUp, Muon: s.Muon, WeightDecay: s.WeightDecay, Clip: s.ClipNorm}
}

// Model returns the model itself, not a copy: the next step changes it.
func (l *Learner) Model() *transformer.Model { return l.model }

// Renumber gives the weights another version, before the first step.
func (l *Learner) Renumber(version int) { l.version = version }

// Version returns the version of the weights: the number of steps taken. A step counts
// even if it skipped its updates, since it consumed its groups.
func (l *Learner) Version() int { return l.version }

// ErrDiverged reports too many skipped updates in a row.
var ErrDiverged = errors.New("training has diverged")

// Step trains on groups, which it does not change, and raises the version by one. It
// takes the group's own advantages if it has any, else the scores minus their mean. What an
// override sets to zero is left out of the mean. The log-probabilities of a group must
// be at temperature 1, like those of the model.
//
// Step skips an update with a non-finite loss or gradient: it changes nothing but the
// count in the metrics. After Settings.MaxSkipped skipped updates in a row, Step raises
// the version and returns [ErrDiverged] with the metrics. For a group that is invalid for
// the model it returns a [*GroupError] and changes nothing.
func (l *Learner) Step(groups []*quintain.Group) (Metrics, error) {
	rows, ends, err := l.gather(groups)
	if err != nil {
		return Metrics{}, err
	}
	m := Metrics{Staleness: map[int]int{}}
	for i := range rows {
		rows[i].tell(&m, l.version)
	}
	m.Reward = reward(groups)
	if m.Tokens == 0 {
		return Metrics{}, fmt.Errorf("none of the %d tokens of %d groups can be trained on", m.Read, len(groups))
	}
	if err := l.prepare(rows); err != nil {
		return Metrics{}, err
	}
	l.optimiser.Settings = l.settings.adam(l.version)
	l.version++
	m.Version = l.version
	var all sums
	err = l.updates(rows, ends, &m, &all)
	m.take(&all)
	return m, err
}

// updates runs the updates of one step. The rows of each group end at one of ends.
func (l *Learner) updates(rows []row, ends []int, m *Metrics, all *sums) error {
	for range l.settings.Epochs {
		first := 0
		for _, end := range l.settings.minibatches(ends) {
			part := rows[first:end]
			if err := l.update(minibatch{part, l.settings.scales(part), l.settings.surrogate}, m, all); err != nil {
				return err
			}
			first = end
		}
	}
	return nil
}

// Imitate runs one supervised update: the loss is the mean cross-entropy of the trained
// tokens. The version does not change. The metrics of reward, weights and staleness have
// no meaning here. Imitate skips updates like [Learner.Step]. For an invalid sequence it
// returns a [*quintain.FieldError].
func (l *Learner) Imitate(batch []Sequence) (Metrics, error) {
	m := Metrics{Version: l.version}
	rows := make([]row, len(batch))
	for i, s := range batch {
		var err error
		if rows[i], err = l.sequence(s, i); err != nil {
			return Metrics{}, err
		}
		rows[i].tell(&m, l.version)
	}
	if m.Tokens == 0 {
		return Metrics{}, fmt.Errorf("none of the %d tokens of %d sequences can be trained on", m.Read, len(batch))
	}
	var all sums
	err := l.update(minibatch{rows, tokenMean(rows), imitation}, &m, &all)
	m.take(&all)
	return m, err
}

// gather turns groups into rows, and returns where the rows of each group end.
func (l *Learner) gather(groups []*quintain.Group) (rows []row, ends []int, err error) {
	for i, g := range groups {
		of, err := l.rowsOf(g)
		if err != nil {
			return nil, nil, &GroupError{Index: i, ID: g.ID, Err: err}
		}
		rows = append(rows, of...)
		ends = append(ends, len(rows))
	}
	return rows, ends, nil
}

// reward returns the mean score of all sequences of groups; 0 for none.
func reward(groups []*quintain.Group) float64 {
	sum, n := 0.0, 0
	for _, g := range groups {
		for _, score := range g.Scores {
			sum += score
			n++
		}
	}
	return sum / float64(max(1, n))
}

// tell adds the counts of r to m, for training at a version.
func (r *row) tell(m *Metrics, version int) {
	m.Sequences++
	m.Read += len(r.tokens)
	m.Tokens += r.count
	for t, trained := range r.trained {
		if trained && r.versions != nil && r.versions[t] >= 0 {
			m.Staleness[version-int(r.versions[t])]++
		}
	}
}

// minibatches cuts groups, with rows up to ends, into Settings.Minibatches parts, or into
// one part per group if there are fewer groups. It returns the end of each part.
func (s *Settings) minibatches(ends []int) []int {
	n := min(s.Minibatches, len(ends))
	out := make([]int, n)
	for i := range out {
		out[i] = ends[(i+1)*len(ends)/n-1]
	}
	return out
}

// prepare sets the log-probabilities for the objective to compare with: those of the
// rows' tokens under the reference, and under the weights at the start of the step. With
// a single update, the update's own pass computes the latter.
func (l *Learner) prepare(rows []row) error {
	if l.reference != nil {
		set := func(r *row, logProbs []float32) { r.reference = logProbs }
		if err := l.score(l.reference, rows, set); err != nil {
			return err
		}
	}
	if l.settings.Objective != Decoupled || l.settings.Epochs*l.settings.Minibatches == 1 {
		return nil
	}
	return l.score(l.pass, rows, func(r *row, logProbs []float32) { r.proximal = logProbs })
}

// score hands the log-probabilities of the tokens of each row to set.
func (l *Learner) score(pass *transformer.Pass, rows []row, set func(*row, []float32)) error {
	first := 0
	for _, end := range microBatches(rows, l.settings.MicroTokens) {
		scores, err := pass.Forward(l.load(rows[first:end]))
		if err != nil {
			return err
		}
		for i, logProbs := range scores.LogProbs {
			set(&rows[first+i], append([]float32(nil), logProbs...))
		}
		first = end
	}
	return nil
}

// load makes rows the current micro-batch.
func (l *Learner) load(rows []row) (tokens [][]int32, fixed []int) {
	l.tokens, l.fixed = l.tokens[:0], l.fixed[:0]
	for i := range rows {
		l.tokens, l.fixed = append(l.tokens, rows[i].tokens), append(l.fixed, rows[i].fixed)
	}
	return l.tokens, l.fixed
}
