package learn

import "math"

// maxLogWeight bounds the logarithm of a weight, so that what is told of absurd ones
// stays finite.
const maxLogWeight = 20

// A term is what the objective knows of one trained token: natural logarithms of
// its probability, and its advantage.
type term struct {
	policy    float64 // under the weights that are trained
	proximal  float64 // under those at the start of the step
	behaviour float64 // under those that sampled it
	reference float64 // under the reference model; that of policy where there is none
	advantage float64
}

// A verdict is what the objective says of one token.
type verdict struct {
	loss    float64 // of the policy alone
	kl      float64 // divergence from the reference
	entropy float64 // of the distribution that the token was drawn from, under the weights that are trained
	slope   float64 // derivative of loss and KL term to the log-probability
	weight  float64 // probability then, by that of who sampled; not capped
	drift   float64 // divergence from who sampled
	clipped bool    // the clipped side is the smaller one: no gradient
	capped  bool    // the weight exceeds the cap
}

// token judges one token.
func (s *Settings) token(t term) verdict {
	anchor, weight := t.behaviour, 1.0
	logWeight := t.policy - t.behaviour
	if s.Objective == Decoupled {
		anchor, logWeight = t.proximal, t.proximal-t.behaviour
	}
	logWeight = max(-maxLogWeight, min(maxLogWeight, logWeight))
	v := verdict{weight: math.Exp(logWeight)}
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

// divergence estimates the Kullback-Leibler divergence from one sampled token, where
// d is its log-probability under the other distribution less that under the one that
// sampled it: exp(d) - d - 1, which is never negative (Schulman, "Approximating KL
// Divergence", 2020: k3).
func divergence(d float64) float64 { return math.Expm1(d) - d }

// scales gives for each row the factor of its tokens' losses: the sum of the losses
// times these is the loss of one update that consumes rows.
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

// tokenMean are the scales with which every token counts the same.
func tokenMean(rows []row) []float64 {
	tokens := 0
	for i := range rows {
		tokens += rows[i].count
	}
	return repeat(1/float64(tokens), len(rows))
}

// A reading is what a pass says of one row, and what it is told in return. The four
// have the length of the row.
type reading struct {
	logProbs, entropies  []float32
	byLogProb, byEntropy []float32 // derivatives of the loss; 0 where a token is not trained
}

// A judge adds what a loss says of a row to sum, and sets the derivatives of x. The
// losses of tokens enter with a factor of scale.
type judge func(r *row, x reading, scale float64, sum *sums)

// surrogate is the judge for reinforcement.
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

// imitation is the judge for supervised training: the loss is the cross-entropy.
func imitation(r *row, x reading, scale float64, sum *sums) {
	for t, trained := range r.trained {
		x.byLogProb[t], x.byEntropy[t] = 0, 0
		if trained {
			v := verdict{loss: -float64(x.logProbs[t]), entropy: float64(x.entropies[t]), weight: 1}
			x.byLogProb[t] = float32(-scale)
			sum.add(&v, scale*v.loss, scale*v.loss)
		}
	}
}
