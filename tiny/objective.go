package tiny

import "math"

// maxLogWeight bounds the logarithm of a weight, so that absurd weights stay finite in
// metrics.
const maxLogWeight = 20

// A term is the objective's input for one trained token: the natural logarithms of its
// probability, and its advantage.
type term struct {
	policy    float64 // under the weights in training
	proximal  float64 // under those at the start of the step
	behaviour float64 // under the sampling weights
	reference float64 // under the reference model; without one, that of policy
	advantage float64
}

// A tokenLoss is the loss of one token, with its derivative and the numbers for the metrics.
type tokenLoss struct {
	loss    float64 // of the policy alone, without KL term and entropy bonus
	kl      float64 // divergence from the reference
	entropy float64 // of the distribution that predicts the token, under the weights in training
	slope   float64 // derivative of loss and KL term by the log-probability
	weight  float64 // probability at the start of the step over that when sampled; for Naive, the current one over it; not capped
	drift   float64 // divergence from the sampling weights
	clipped bool    // the clipped term is the smaller one, so the gradient is zero
	capped  bool    // the weight exceeds the cap
}

// token returns the loss of one token.
func (s *Settings) token(t term) tokenLoss {
	anchor, weight := t.behaviour, 1.0
	logWeight := t.policy - t.behaviour
	if s.Objective == Decoupled {
		anchor, logWeight = t.proximal, t.proximal-t.behaviour
	}
	logWeight = max(-maxLogWeight, min(maxLogWeight, logWeight))
	v := tokenLoss{weight: math.Exp(logWeight)}
	v.drift = divergence(logWeight)
	if s.Objective == Decoupled {
		weight = v.weight
		if s.WeightCap > 0 && weight > s.WeightCap {
			v.capped, weight = true, s.WeightCap
		}
	}
	if v.capped && s.CapRule == Filter {
		weight = 0
	}
	ratio := math.Exp(t.policy - anchor)
	free := ratio * t.advantage
	held := max(1-s.Clip, min(1+s.Clip, ratio)) * t.advantage
	v.clipped = held < free
	v.loss = -weight * min(free, held)
	if !v.clipped {
		v.slope = -weight * free
	}
	if s.KL > 0 {
		v.kl = divergence(t.reference - t.policy)
		v.slope += s.KL * -math.Expm1(t.reference-t.policy)
	}
	return v
}

// divergence estimates the Kullback-Leibler divergence from one sampled token. d is its
// log-probability under the other distribution minus that under the sampling one: exp(d)
// - d - 1, which is never negative (Schulman, "Approximating KL Divergence", 2020: k3).
func divergence(d float64) float64 { return math.Expm1(d) - d }

// scales returns the factor of the losses of each row's tokens. The loss of an update is
// the sum of the losses times these factors.
func (s *Settings) scales(rows []row) []float64 {
	if s.Normalisation == TokenMean {
		return tokenMean(rows)
	}
	sequences := 0.0
	for i := range rows {
		if rows[i].count > 0 {
			sequences++
		}
	}
	out := make([]float64, len(rows))
	for i := range rows {
		length := s.Length
		if s.Normalisation == SequenceMean {
			length = max(1, rows[i].count)
		}
		out[i] = 1 / (sequences * float64(length))
	}
	return out
}

// tokenMean returns the scales that give every token the same weight.
func tokenMean(rows []row) []float64 {
	tokens := 0
	for i := range rows {
		tokens += rows[i].count
	}
	return repeat(1/float64(tokens), len(rows))
}

// A reading is a pass's output for one row, and the derivatives for the way back. All
// four slices have the length of the row.
type reading struct {
	logProbs, entropies  []float32
	byLogProb, byEntropy []float32 // derivatives of the loss; 0 for untrained tokens
}

// A lossFunc adds the losses of a row's tokens to sum, multiplied by scale, and sets the
// derivatives in x.
type lossFunc func(r *row, x reading, scale float64, sum *sums)

// surrogate is the loss of reinforcement learning.
func (s *Settings) surrogate(r *row, x reading, scale float64, sum *sums) {
	for t, trained := range r.trained {
		x.byLogProb[t], x.byEntropy[t] = 0, 0
		if !trained {
			continue
		}
		p := term{policy: float64(x.logProbs[t]), behaviour: r.behaviour[t], advantage: r.advantages[t]}
		p.proximal, p.reference = p.policy, p.policy
		if r.proximal != nil {
			p.proximal = float64(r.proximal[t])
		}
		if r.reference != nil {
			p.reference = float64(r.reference[t])
		}
		v := s.token(p)
		v.entropy = float64(x.entropies[t])
		x.byLogProb[t] = float32(scale * v.slope)
		x.byEntropy[t] = float32(-scale * s.Entropy)
		sum.add(&v, scale*(v.loss+s.KL*v.kl-s.Entropy*v.entropy), scale*v.loss)
	}
}

// imitation is the loss of supervised training: the cross-entropy.
func imitation(r *row, x reading, scale float64, sum *sums) {
	for t, trained := range r.trained {
		x.byLogProb[t], x.byEntropy[t] = 0, 0
		if trained {
			v := tokenLoss{loss: -float64(x.logProbs[t]), entropy: float64(x.entropies[t]), weight: 1}
			x.byLogProb[t] = float32(-scale)
			sum.add(&v, scale*v.loss, scale*v.loss)
		}
	}
}
