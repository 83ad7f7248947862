package areal

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A Row is one sequence for AReaL's newer trainers: a whole episode, including the messages
// between its turns.
type Row struct {
	ID       string
	Tokens   []quintain.Token
	Trained  []bool    // for each token, whether the policy sampled it; true for the last one
	Masked   bool      // the row is not trained on: no token has a loss
	LogProbs []float32 // of each token; 0: not sampled
	Versions []int32   // of the weights that sampled each token; -1: not sampled, or unknown
	Reward   float32

	Meta map[string]any // of the row of its problem; nil: none
}

// NewRows returns the rows of a group cut only where the policy's server rewrote a
// conversation. A sequence that does not end with a sampled token has none, because AReaL's
// trainers would lose its reward. The error is [ErrUnknown], or names the violated rule.
func NewRows(g *quintain.Group) ([]*Row, error) {
	if err := checkGroup(g); err != nil {
		return nil, err
	}
	var all []*Row
	for i, tokens := range g.Tokens {
		n := len(tokens)
		if n == 0 || g.Masks[i][n-1] == quintain.Untrained {
			continue
		}
		r := &Row{ID: fmt.Sprintf("%s#%d", g.ID, i), Tokens: tokens, Versions: g.Versions[i], Reward: float32(g.Scores[i])}
		var err error
		if r.Masked, err = g.Masked(i); err != nil {
			return nil, err
		}
		for k := range tokens {
			trained := g.Masks[i][k] != quintain.Untrained
			p := float32(0)
			if trained {
				p = float32(g.LogProbs[i][k])
			}
			r.Trained, r.LogProbs = append(r.Trained, trained), append(r.LogProbs, p)
		}
		if err := r.Check(); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// Check returns a [*RuleError] for the first rule that r violates.
func (r *Row) Check() error {
	n := len(r.Tokens)
	switch {
	case len(r.Trained) != n || len(r.LogProbs) != n || len(r.Versions) != n:
		return &RuleError{r.ID, "input_ids", fmt.Sprintf("has %s, %d masks, %s and %d versions", stats.Count(n, "token"), len(r.Trained), stats.Count(len(r.LogProbs), "log-probability"), len(r.Versions))}
	case n == 0 || !r.Trained[n-1]:
		return &RuleError{r.ID, "loss_mask", "the last token was not sampled, so the reward would be lost"}
	}
	for i, trained := range r.Trained {
		switch p := r.LogProbs[i]; {
		case !(p <= 0) || p-p != 0 || !trained && p != 0:
			return &RuleError{r.ID, "logprobs", fmt.Sprintf("is %v at %d, want at most 0, and 0 for tokens that were only read", p, i)}
		case r.Versions[i] < -1 || !trained && r.Versions[i] != -1:
			return &RuleError{r.ID, "versions", fmt.Sprintf("is %d at %d, want -1 for tokens that were only read", r.Versions[i], i)}
		}
	}
	return nil
}

// A Batch is rows as tensors, padded with 0 to the longest, as AReaL pads.
type Batch []*Row

// Tensors returns the tensors of b: input_ids, attention_mask, loss_mask, logprobs and
// versions, with len(b) rows, and rewards, one value per row.
func (b Batch) Tensors() []Tensor {
	long := 0
	for _, r := range b {
		long = max(long, len(r.Tokens))
	}
	size := len(b) * long
	wide := func(name string, t Type) Tensor {
		return Tensor{Name: name, Type: t, Shape: []int{len(b), long}, Ints: make([]int64, size)}
	}
	tokens, attention, loss, versions := wide("input_ids", Int32), wide("attention_mask", Bool), wide("loss_mask", Int32), wide("versions", Int32)
	probs := Tensor{Name: "logprobs", Type: Float32, Shape: []int{len(b), long}, Floats: make([]float32, size)}
	rewards := Tensor{Name: "rewards", Type: Float32, Shape: []int{len(b)}, Floats: make([]float32, len(b))}
	for i, r := range b {
		for k, token := range r.Tokens {
			at := i*long + k
			tokens.Ints[at], attention.Ints[at], loss.Ints[at] = int64(token), 1, bit(r.Trained[k] && !r.Masked)
			versions.Ints[at], probs.Floats[at] = int64(r.Versions[k]), r.LogProbs[k]
		}
		rewards.Floats[i] = r.Reward
	}
	return []Tensor{tokens, attention, loss, probs, versions, rewards}
}

// MarshalJSON implements [json.Marshaler]: an object of the tensors by name, each in the
// form that AReaL's workers send each other.
func (b Batch) MarshalJSON() ([]byte, error) {
	type form struct {
		Type  string `json:"type"`
		Data  string `json:"data"` // base64 of the values, little-endian, row after row
		Shape []int  `json:"shape"`
		DType string `json:"dtype"`
	}
	all := map[string]form{}
	for _, t := range b.Tensors() {
		all[t.Name] = form{"tensor", base64.StdEncoding.EncodeToString(t.append(nil)), t.Shape, "torch." + string(t.Type)}
	}
	return json.Marshal(all)
}

// File returns b as a file of tensors. Its text lists the IDs and the metadata of the rows.
func (b Batch) File() (File, error) {
	ids := make([]string, len(b))
	rows := make([]map[string]any, len(b))
	for i, r := range b {
		ids[i], rows[i] = r.ID, r.Meta
	}
	text, err := json.Marshal(map[string]any{"ids": ids, "metadata": listed(rows)})
	return File{Tensors: b.Tensors(), Text: text}, err
}
