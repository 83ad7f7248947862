package tiny

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
)

// An Objective is the loss that a step minimises. Let p be the probability of a token
// under the weights in training, b under the sampling weights, q under the weights at the
// start of the step, and A its advantage.
type Objective string

// The objectives.
const (
	// Decoupled is -w·min(r·A, clip(r)·A). The ratio r = p/q is clipped near the weights
	// at the start of the step, and w = q/b, a constant, corrects for the sampling
	// weights. So stale tokens are clipped against the current weights, not against old
	// ones (Hilton et al., "Batch size-invariance for policy optimization", 2021; Fu et
	// al., "AReaL", 2025).
	Decoupled Objective = "decoupled"

	// Naive is -min(r·A, clip(r)·A) with r = p/b (Schulman et al., "Proximal Policy
	// Optimization Algorithms", 2017).
	Naive Objective = "naive"
)

// Objectives lists all objectives.
var Objectives = []Objective{Decoupled, Naive}

// A CapRule says how to treat a token with a weight w above the cap.
type CapRule string

// The cap rules.
const (
	Truncate CapRule = "truncate" // its weight is the cap
	Filter   CapRule = "filter"   // no policy loss, but it counts as a token
)

// CapRules lists all cap rules.
var CapRules = []CapRule{Truncate, Filter}

// A Normalisation says how to combine the losses of tokens into one number.
type Normalisation string

// The normalisations. They count only trained tokens, and sequences with trained tokens,
// of one update.
const (
	TokenMean    Normalisation = "token_mean"    // the mean over all tokens
	SequenceMean Normalisation = "sequence_mean" // the mean over sequences of the mean over their tokens
	Constant     Normalisation = "constant"      // the mean over sequences of the sum over their tokens, divided by Settings.Length (Liu et al., Dr. GRPO, 2025)
)

// Normalisations lists all normalisations.
var Normalisations = []Normalisation{TokenMean, SequenceMean, Constant}

// Settings configure a learner's steps. [Default] returns working values.
type Settings struct {
	Objective Objective `json:"objective"`
	Clip      float64   `json:"clip"`       // r is clipped to the range 1-Clip to 1+Clip
	WeightCap float64   `json:"weight_cap"` // largest weight w of the decoupled objective; 0: no limit
	CapRule   CapRule   `json:"cap_rule"`
	KL        float64   `json:"kl"`      // coefficient of the divergence from the reference, in the loss; 0: none
	Entropy   float64   `json:"entropy"` // coefficient of the entropy bonus in the loss; 0: none

	Normalisation Normalisation `json:"normalisation"`
	Length        int           `json:"length"` // divisor of Constant, such as the greatest number of sampled tokens; only Constant reads it

	Epochs      int `json:"epochs"`       // passes of a step over its groups
	Minibatches int `json:"minibatches"`  // parts of the groups, in order; each is an update of its own
	MicroTokens int `json:"micro_tokens"` // tokens in memory at once; a longer sequence runs alone

	LearningRate float64 `json:"learning_rate"`
	DecaySteps   int     `json:"decay_steps"`  // steps over which the learning rate falls to a tenth, where it stays; 0: it does not fall
	WarmUp       int     `json:"warm_up"`      // updates over which the learning rate rises from 0
	Muon         float64 `json:"muon"`         // factor on the learning rate for the matrices of the layers under Muon; 0: AdamW for all
	WeightDecay  float64 `json:"weight_decay"` // per unit of learning rate
	ClipNorm     float64 `json:"clip_norm"`    // largest norm of the gradients; larger ones are scaled down to it; 0: no limit

	MaxSkipped int `json:"max_skipped"` // updates in a row that may be skipped for non-finite numbers; the last of them is an error
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	settings.Word(d, &s.Objective, "objective", "loss to minimise").OneOf(words(Objectives)...)
	d.Float(&s.Clip, "clip", "largest relative change of a probability in a step").Above(0).Below(1)
	d.Float(&s.WeightCap, "weight_cap", "largest weight of a stale token in the decoupled objective, 1 or more; 0: no limit").AtLeast(0)
	settings.Word(d, &s.CapRule, "cap_rule", "treatment of tokens with a weight above the cap").OneOf(words(CapRules)...)
	d.Float(&s.KL, "kl", "coefficient of the divergence from the reference; 0: none").AtLeast(0)
	d.Float(&s.Entropy, "entropy", "coefficient of the entropy bonus; 0: none").AtLeast(0)
	settings.Word(d, &s.Normalisation, "normalisation", "how to combine the losses of tokens into one number").OneOf(words(Normalisations)...)
	d.Int(&s.Length, "length", "divisor of the normalisation constant, in tokens").AtLeast(1)
	d.Int(&s.Epochs, "epochs", "passes of a step over its groups").AtLeast(1)
	d.Int(&s.Minibatches, "minibatches", "updates in one epoch").AtLeast(1)
	d.Int(&s.MicroTokens, "micro_tokens", "tokens in memory at once").AtLeast(1)
	d.Float(&s.LearningRate, "learning_rate", "learning rate of AdamW").Above(0)
	d.Int(&s.DecaySteps, "decay_steps", "training steps over which the learning rate falls evenly to a tenth, where it stays; 0: it does not fall").AtLeast(0)
	d.Int(&s.WarmUp, "warm_up", "updates over which the learning rate rises from 0").AtLeast(0)
	d.Float(&s.Muon, "muon", "learning rate of Muon for the matrices of the layers, as a multiple of learning_rate; 0: AdamW for all").AtLeast(0)
	d.Float(&s.WeightDecay, "weight_decay", "weight decay per unit of learning rate").AtLeast(0)
	d.Float(&s.ClipNorm, "clip_norm", "largest norm of the gradients; larger ones are scaled down to it; 0: no limit").AtLeast(0)
	d.Int(&s.MaxSkipped, "max_skipped", "consecutive updates that non-finite numbers may skip").AtLeast(1)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	if s.WeightCap > 0 && s.WeightCap < 1 {
		return fmt.Errorf("weight_cap: is %v, want 0, or 1 or more", s.WeightCap)
	}
	return nil
}

// words converts constants to strings.
func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, word := range list {
		out[i] = string(word)
	}
	return out
}

// Default returns settings for models of about 10⁵ parameters.
func Default() Settings {
	return Settings{
		Objective: Decoupled, Clip: 0.2, WeightCap: 5, CapRule: Truncate,
		Normalisation: TokenMean, Length: 64,
		Epochs: 1, Minibatches: 1, MicroTokens: 4096,
		LearningRate: 1e-3, WarmUp: 10, WeightDecay: 0.01, ClipNorm: 1,
		MaxSkipped: 5,
	}
}
