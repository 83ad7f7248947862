package rollout

import (
	"slices"

	"github.com/quintain-rl/quintain"
)

// shape applies the penalties of the rules to the scores of a group's episodes.
func (r Rules) shape(played []quintain.Trajectory, all []sequence, scores []float64) {
	for i := range played {
		if played[i].Malformed() {
			scores[i] -= r.MalformedPenalty
		}
	}
	if r.LengthBudget > 0 {
		r.shorten(all, scores)
	}
}

// shorten lowers the scores of episodes with long sequences if no score is below a half.
func (r Rules) shorten(all []sequence, scores []float64) {
	if slices.Min(scores) < 0.5 {
		return
	}
	longest := make([]int, len(scores))
	for i := range all {
		longest[all[i].episode] = max(longest[all[i].episode], all[i].length)
	}
	limit := 0.75 * float64(r.LengthBudget)
	for i := range scores {
		if over := float64(longest[i]) - limit; over > 0 {
			scores[i] *= 1 - min(1, over/(float64(r.LengthBudget)-limit))
		}
	}
}
