package tiny

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
)

// A row is the objective's view of one sequence. All slices have the length of the
// sequence; element t belongs to token t and counts only if trained[t].
type row struct {
	tokens     []int32
	trained    []bool // never the first token: nothing predicts it
	count      int    // number of trained tokens
	fixed      int    // tokens before the first trained one, without a gradient; 0 if all parameters are trained
	advantages []float64
	behaviour  []float64 // log-probabilities as sampled
	versions   []int32   // of the weights that sampled; nil: unknown
	proximal   []float32 // log-probabilities at the start of the step; nil: those of the current pass
	reference  []float32 // log-probabilities under the reference; nil: none
}

// A GroupError reports a group that is invalid for training. Training on the other groups
// works without it.
type GroupError struct {
	Index int    // index into the groups of the step
	ID    string // of the group, if it has one
	Err   error  // usually a *quintain.FieldError
}

// Error names the group and its fault.
func (e *GroupError) Error() string {
	if e.ID == "" {
		return fmt.Sprintf("group %d: %v", e.Index, e.Err)
	}
	return fmt.Sprintf("group %d (%s): %v", e.Index, e.ID, e.Err)
}

// Unwrap returns the fault.
func (e *GroupError) Unwrap() error { return e.Err }

// rowsOf turns a group into rows, or reports why the group cannot be trained on.
func (l *Learner) rowsOf(g *quintain.Group) ([]row, error) {
	if err := g.Check(); err != nil {
		return nil, err
	}
	if g.LogProbs == nil {
		return nil, &quintain.FieldError{Field: "inference_logprobs", Why: "is missing: the objective needs the log-probabilities of the sampling policy"}
	}
	external := l.settings.KL > 0 && l.reference == nil
	if external && g.RefLogProbs == nil {
		return nil, &quintain.FieldError{Field: "ref_logprobs", Why: "is missing, and no reference model can compute it for the KL term"}
	}
	rows := make([]row, len(g.Tokens))
	mean := g.MeanScore()
	for i := range rows {
		r, err := l.sequence(Sequence{g.Tokens[i], g.Masks[i]}, i)
		if err != nil {
			return nil, err
		}
		if r.behaviour = g.LogProbs[i]; len(r.behaviour) < len(g.Tokens[i]) {
			return nil, &quintain.FieldError{Field: fmt.Sprintf("inference_logprobs[%d]", i), Why: "is empty: the objective needs the log-probabilities of the sampling policy"}
		}
		if err := r.checkBehaviour(i); err != nil {
			return nil, err
		}
		if external {
			r.reference = narrow(g.RefLogProbs[i])
		}
		if g.Versions != nil {
			r.versions = g.Versions[i]
		}
		if r.advantages, err = advantagesOf(g, i, mean); err != nil {
			return nil, err
		}
		rows[i] = r
	}
	return rows, nil
}

// advantagesOf returns the advantage of every token of sequence i of g. The mean score
// of g is mean.
func advantagesOf(g *quintain.Group, i int, mean float64) ([]float64, error) {
	masked, err := g.Masked(i)
	if err != nil {
		return nil, err
	}
	n := len(g.Tokens[i])
	switch {
	case masked:
		return make([]float64, n), nil
	case g.Advantages == nil:
		return repeat(g.Scores[i]-mean, n), nil
	case len(g.Advantages[i]) != n: // one for the whole sequence; Check allows no other length
		return repeat(g.Advantages[i][0], n), nil
	}
	return g.Advantages[i], nil
}

// repeat returns x, n times.
func repeat(x float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = x
	}
	return out
}

// narrow returns s in float32.
func narrow(s []float64) []float32 {
	out := make([]float32, len(s))
	for i, x := range s {
		out[i] = float32(x)
	}
	return out
}

// A Sequence is an example for supervised training.
type Sequence struct {
	Tokens []quintain.Token
	Masks  []int32 // as in a [quintain.Group]: the token itself if trained on, else [quintain.Untrained]
}

// sequence makes the row of s, without the fields that only the objective needs. Errors
// call it sequence i.
func (l *Learner) sequence(s Sequence, i int) (row, error) {
	n, c := len(s.Tokens), l.model.Config()
	fault := func(field, format string, args ...any) (row, error) {
		return row{}, &quintain.FieldError{Field: field, Why: fmt.Sprintf(format, args...)}
	}
	if n == 0 {
		return fault(fmt.Sprintf("tokens[%d]", i), "is empty")
	}
	if n > c.Context {
		return fault(fmt.Sprintf("tokens[%d]", i), "has %d tokens, but the model's context holds %d", n, c.Context)
	}
	if len(s.Masks) != n {
		return fault(fmt.Sprintf("masks[%d]", i), "has %d elements, but tokens[%d] has %d", len(s.Masks), i, n)
	}
	r := row{tokens: make([]int32, n), trained: make([]bool, n)}
	for t, token := range s.Tokens {
		if token < 0 || int(token) >= c.Vocab {
			return fault(fmt.Sprintf("tokens[%d][%d]", i, t), "is %d, but the model's vocabulary has %d tokens", token, c.Vocab)
		}
		r.tokens[t] = int32(token)
		if mask := s.Masks[t]; mask == quintain.Untrained || t == 0 {
			continue
		} else if mask != int32(token) {
			return fault(fmt.Sprintf("masks[%d][%d]", i, t), "is %d, want %d or the token, %d", mask, quintain.Untrained, token)
		}
		r.trained[t] = true
		r.count++
	}
	if c.Rank > 0 {
		if r.fixed = slices.Index(r.trained, true); r.fixed < 0 {
			r.fixed = n
		}
	}
	return r, nil
}

// checkBehaviour reports the first trained token with a positive log-probability.
// Errors call the row sequence i.
func (r *row) checkBehaviour(i int) error {
	const noise = 1e-3 // tolerated, for servers that compute in half precision
	for t, trained := range r.trained {
		if p := r.behaviour[t]; trained && p > noise {
			return &quintain.FieldError{
				Field: fmt.Sprintf("inference_logprobs[%d][%d]", i, t),
				Why:   fmt.Sprintf("is %v for a trained token, want at most 0", p),
			}
		}
	}
	return nil
}

// microBatches cuts rows, in their order, into runs of at most limit tokens with a gradient; a
// longer row is a run of its own. It returns where each run ends.
func microBatches(rows []row, limit int) (ends []int) {
	tokens := 0
	for i := range rows {
		n := len(rows[i].tokens) - rows[i].fixed
		if i > 0 && tokens+n > limit {
			ends = append(ends, i)
			tokens = 0
		}
		tokens += n
	}
	return append(ends, len(rows))
}
