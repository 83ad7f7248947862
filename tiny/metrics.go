package tiny

import "math"

// Metrics describe a step. Means over tokens are over trained tokens, each counted once
// per update that consumed it. Skipped updates contribute nothing.
type Metrics struct {
	Version int `json:"version"` // of the weights after the step
	Updates int `json:"updates"` // updates in this step
	Skipped int `json:"skipped"` // updates skipped because of a non-finite number

	Loss         float64 `json:"loss"`          // mean over updates
	PolicyLoss   float64 `json:"policy_loss"`   // without the KL term and the entropy bonus
	KL           float64 `json:"kl"`            // mean divergence of tokens from the reference, in nats; 0 if the loss has no KL term
	Drift        float64 `json:"drift"`         // mean divergence of tokens from the sampling weights, in nats
	Entropy      float64 `json:"entropy"`       // mean over tokens, in nats
	ClipFraction float64 `json:"clip_fraction"` // share of tokens without a gradient because their ratio was clipped
	WeightMean   float64 `json:"weight_mean"`   // mean of w of the decoupled objective, before the cap; of r of the naive one
	WeightMax    float64 `json:"weight_max"`
	CapFraction  float64 `json:"cap_fraction"` // share of tokens with a weight above the cap
	GradNorm     float64 `json:"grad_norm"`    // mean over updates, before clipping
	LearningRate float64 `json:"learning_rate"`

	Reward    float64 `json:"reward"`    // mean score of the sequences
	Sequences int     `json:"sequences"` // trained on or not
	Tokens    int     `json:"tokens"`    // trained tokens
	Read      int     `json:"read"`      // tokens of all sequences

	// Staleness counts trained tokens by lag: the version of the weights at the start of
	// the step minus the version that sampled the token. A lag is negative if the learner
	// went back to an older version in between. Tokens of unknown version do not count.
	Staleness map[int]int `json:"staleness"`
}

// sums add up the losses of tokens, over one update or several.
type sums struct {
	tokens          int
	loss, policy    float64 // scaled
	kl, drift       float64
	entropy, weight float64
	weightMax       float64
	clipped, capped int
}

// add counts one token; loss and policy are its shares of the loss and of the policy
// loss.
func (s *sums) add(v *tokenLoss, loss, policy float64) {
	s.tokens++
	s.loss += loss
	s.policy += policy
	s.kl += v.kl
	s.entropy += v.entropy
	s.drift += v.drift
	s.weight += v.weight
	s.weightMax = max(s.weightMax, v.weight)
	if v.clipped {
		s.clipped++
	}
	if v.capped {
		s.capped++
	}
}

// merge adds the sums of another update.
func (s *sums) merge(o *sums) {
	s.tokens += o.tokens
	s.loss += o.loss
	s.policy += o.policy
	s.kl += o.kl
	s.drift += o.drift
	s.entropy += o.entropy
	s.weight += o.weight
	s.weightMax = max(s.weightMax, o.weightMax)
	s.clipped += o.clipped
	s.capped += o.capped
}

// finite reports whether all sums are finite.
func (s *sums) finite() bool {
	for _, x := range []float64{s.loss, s.policy, s.kl, s.drift, s.entropy, s.weight} {
		if !finite(x) {
			return false
		}
	}
	return true
}

// take sets the metrics that are means of s, over m.Updates updates.
func (m *Metrics) take(s *sums) {
	if m.Updates == 0 {
		return
	}
	updates, tokens := float64(m.Updates), float64(max(1, s.tokens))
	m.Loss, m.PolicyLoss = s.loss/updates, s.policy/updates
	m.KL, m.Drift, m.Entropy = s.kl/tokens, s.drift/tokens, s.entropy/tokens
	m.WeightMean, m.WeightMax = s.weight/tokens, s.weightMax
	m.ClipFraction, m.CapFraction = float64(s.clipped)/tokens, float64(s.capped)/tokens
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
