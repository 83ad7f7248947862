package rollout

import (
	"fmt"
	"math"
)

// An Estimator turns a group's scores into advantages.
type Estimator string

// The estimators of advantages, for scores s of a group of n.
const (
	GRPO   Estimator = "grpo"    // (s - mean) / standard deviation (Shao et al., DeepSeekMath, 2024)
	DrGRPO Estimator = "dr_grpo" // s - mean (Liu et al., Understanding R1-Zero-Like Training, 2025)
	RLOO   Estimator = "rloo"    // s - mean of the others (Ahmadian et al., Back to Basics, 2024)
	None   Estimator = "none"    // the trainer computes advantages
)

// Estimators lists all estimators.
var Estimators = []Estimator{GRPO, DrGRPO, RLOO, None}

// minDeviation bounds a standard deviation as a divisor.
const minDeviation = 1e-8

// line returns the factor a and the offset b that turn a return r into the advantage a·r +
// b, given the scores of a group. The standard deviation is that of the population.
func (e Estimator) line(scores []float64) (a, b float64, err error) {
	n := float64(len(scores))
	mean, square := 0.0, 0.0
	for _, s := range scores {
		mean += s / n
	}
	for _, s := range scores {
		square += (s - mean) * (s - mean) / n
	}
	switch e {
	case GRPO:
		a = 1 / max(math.Sqrt(square), minDeviation)
	case DrGRPO:
		a = 1
	case RLOO:
		a = n / max(1, n-1) // s - (n·mean - s)/(n-1)
	default:
		return 0, 0, fmt.Errorf("unknown estimator of advantages %q, want one of %v", e, Estimators)
	}
	return a, -a * mean, nil
}
