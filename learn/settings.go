package learn

import (
	"fmt"
	"math"
	"slices"
)

// An Objective says which loss a step lessens. Let p be the probability of a token
// under the weights that are trained, b under those that sampled it, q under the
// weights at the start of the step, and A its advantage.
type Objective string

// The objectives.
const (
	// Decoupled is -w·min(r·A, clip(r)·A), where r = p/q is held near the weights at
	// the start of the step and w = q/b, a constant, corrects for who sampled. Stale
	// tokens are thus clipped against what is now, not against what once was (Hilton
	// et al., "Batch size-invariance for policy optimization", 2021; Fu et al.,
	// "AReaL", 2025).
	Decoupled Objective = "decoupled"

	// Naive is -min(r·A, clip(r)·A), where r = p/b (Schulman et al., "Proximal Policy
	// Optimization Algorithms", 2017).
	Naive Objective = "naive"
)

// Objectives lists all objectives.
var Objectives = []Objective{Decoupled, Naive}

// A CapRule says what becomes of a token of which the weight w exceeds the cap.
type CapRule string

// The cap rules.
const (
	Truncate CapRule = "truncate" // its weight is the cap
	Filter   CapRule = "filter"   // it has no policy loss, but counts as a token
)

// CapRules lists all cap rules.
var CapRules = []CapRule{Truncate, Filter}

// A Normalisation says how the losses of tokens become one number.
type Normalisation string

// The normalisations. Only trained tokens, and sequences that have some, count;
// the means are over what one update consumes.
const (
	TokenMean    Normalisation = "token_mean"    // the mean over all tokens
	SequenceMean Normalisation = "sequence_mean" // the mean over sequences of the mean over their tokens
	Constant     Normalisation = "constant"      // the mean over sequences of the sum over their tokens, by Settings.Length (Liu et al., Dr. GRPO, 2025)
)

// Normalisations lists all normalisations.
var Normalisations = []Normalisation{TokenMean, SequenceMean, Constant}

// Settings say how a learner makes its steps. [Default] has values that work.
type Settings struct {
	Objective Objective `json:"objective" yaml:"objective"`
	Clip      float64   `json:"clip" yaml:"clip"`             // r is clipped to 1-Clip to 1+Clip; above 0, below 1
	WeightCap float64   `json:"weight_cap" yaml:"weight_cap"` // largest weight w of the decoupled objective; 0: any
	CapRule   CapRule   `json:"cap_rule" yaml:"cap_rule"`
	KL        float64   `json:"kl" yaml:"kl"` // coefficient of the divergence from the reference, in the loss; 0: none

	Entropy float64 `json:"entropy" yaml:"entropy"` // coefficient of the entropy, which the loss rewards; 0: none

	Normalisation Normalisation `json:"normalisation" yaml:"normalisation"`
	Length        int           `json:"length" yaml:"length"` // tokens that Constant divides by, such as the most that are sampled; read by it alone

	Epochs      int `json:"epochs" yaml:"epochs"`             // times that a step goes through its groups
	Minibatches int `json:"minibatches" yaml:"minibatches"`   // parts of the groups, whole ones in their order, each an update of its own
	MicroTokens int `json:"micro_tokens" yaml:"micro_tokens"` // tokens in memory at once; a longer sequence goes alone

	LearningRate float64 `json:"learning_rate" yaml:"learning_rate"`
	WarmUp       int     `json:"warm_up" yaml:"warm_up"`           // updates over which the learning rate rises from 0
	Muon         float64 `json:"muon" yaml:"muon"`                 // what the learning rate is multiplied by for the matrices of the layers, which Muon then steps; 0: AdamW for all
	WeightDecay  float64 `json:"weight_decay" yaml:"weight_decay"` // per unit of learning rate
	ClipNorm     float64 `json:"clip_norm" yaml:"clip_norm"`       // norm that gradients are scaled down to; 0: any

	MaxSkipped int `json:"max_skipped" yaml:"max_skipped"` // updates in a row that are skipped, for numbers that are not finite, before it is an error; 1 or more
}

// Default returns settings for models of some 10⁵ parameters.
func Default() Settings {
	return Settings{
		Objective: Decoupled, Clip: 0.2, WeightCap: 5, CapRule: Truncate,
		Normalisation: TokenMean, Length: 64,
		Epochs: 1, Minibatches: 1, MicroTokens: 4096,
		LearningRate: 1e-3, WarmUp: 10, WeightDecay: 0.01, ClipNorm: 1,
		MaxSkipped: 5,
	}
}

// Check reports the first setting that makes no sense, by its JSON name.
func (s *Settings) Check() error {
	for _, f := range []struct {
		ok   bool
		name string
		got  any
		want string
	}{
		{slices.Contains(Objectives, s.Objective), "objective", s.Objective, fmt.Sprintf("one of %v", Objectives)},
		{s.Clip > 0 && s.Clip < 1, "clip", s.Clip, "above 0 and below 1"},
		{s.WeightCap == 0 || s.WeightCap >= 1 && finite(s.WeightCap), "weight_cap", s.WeightCap, "0, or 1 or more"},
		{slices.Contains(CapRules, s.CapRule), "cap_rule", s.CapRule, fmt.Sprintf("one of %v", CapRules)},
		{s.KL >= 0 && finite(s.KL), "kl", s.KL, "0 or more"},
		{s.Entropy >= 0 && finite(s.Entropy), "entropy", s.Entropy, "0 or more"},
		{slices.Contains(Normalisations, s.Normalisation), "normalisation", s.Normalisation, fmt.Sprintf("one of %v", Normalisations)},
		{s.Length > 0 || s.Normalisation != Constant, "length", s.Length, "1 or more"},
		{s.Epochs > 0, "epochs", s.Epochs, "1 or more"},
		{s.Minibatches > 0, "minibatches", s.Minibatches, "1 or more"},
		{s.MicroTokens > 0, "micro_tokens", s.MicroTokens, "1 or more"},
		{s.LearningRate > 0 && finite(s.LearningRate), "learning_rate", s.LearningRate, "above 0"},
		{s.WarmUp >= 0, "warm_up", s.WarmUp, "0 or more"},
		{s.Muon >= 0 && finite(s.Muon), "muon", s.Muon, "0 or more"},
		{s.WeightDecay >= 0 && finite(s.WeightDecay), "weight_decay", s.WeightDecay, "0 or more"},
		{s.ClipNorm >= 0 && finite(s.ClipNorm), "clip_norm", s.ClipNorm, "0 or more"},
		{s.MaxSkipped > 0, "max_skipped", s.MaxSkipped, "1 or more"},
	} {
		if !f.ok {
			return fmt.Errorf("%s is %v, want %s", f.name, f.got, f.want)
		}
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
