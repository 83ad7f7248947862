package rollout

import (
	"errors"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
)

// Rules says how the episodes of a group become training data.
type Rules struct {
	Size         int       // episodes of a complete group
	Estimator    Estimator // turns scores into advantages
	Baseline     Baseline  // what scores are compared with; empty: BaselineGroup
	TurnDiscount float64   // factor on a turn's reward in the return of the preceding turn, 0 to 1
	KeepEqual    bool      // keep groups with equal scores, which teach nothing
	MinTrainable int       // least sampled tokens of every episode
	MaxSequence  int       // every sequence must be shorter, in tokens; 0: no limit
	MaskTooLong  bool      // do not train on episodes with a reply that a length limit cut, nor compare others with them
	CompareAll   bool      // compare all episodes, those that are not trained on too, as Atropos does
	Sequences    Sequences // unit of training; empty: WholeEpisodes

	// LengthBudget, if above 0, lowers the scores of long sequences in groups without a
	// score below a half: from three quarters of LengthBudget tokens on, the score falls
	// linearly with the length, to zero at LengthBudget.
	LengthBudget int

	NoMessages bool // leave the conversations out of the groups

	RightOnly        bool    // an episode scores 1 if a reply was fully right, else 0
	MalformedPenalty float64 // subtracted from the score if the last reply has no readable answer; 0 or more

	// A group is dropped if the share of its episodes with a right reply is below
	// SuccessRateLB or above SuccessRateUB, as in AReaL's single-step agent. An upper bound
	// of 0 means none.
	SuccessRateLB, SuccessRateUB float64

	Sampling quintain.Sampling // recorded in the group's generation parameters

	Memory *Memory // for the tokens of one group at a time; nil: each group has its own
}

// DefaultRules returns the default rules of a run.
func DefaultRules() Rules {
	return Rules{Estimator: GRPO, Baseline: BaselineGroup, TurnDiscount: 1, MinTrainable: 1, MaskTooLong: true, Sequences: WholeEpisodes, SuccessRateUB: 1}
}

// Declare implements [settings.Declarer]. It leaves out Size and Sampling, which are
// settings of the run and of the policy.
func (r *Rules) Declare(d *settings.Section) {
	settings.Word(d, &r.Estimator, "estimator", "estimator of advantages from scores").
		OneOf(string(GRPO), string(DrGRPO), string(RLOO), string(None)).Flag("estimator")
	settings.Word(d, &r.Baseline, "baseline", "what scores are compared with: the group, by the estimator; or the mean of the seat so far at this level, whatever the estimator but none").
		OneOf(string(BaselineGroup), string(BaselineSeat))
	settings.Word(d, &r.Sequences, "sequences", "unit of training: a whole episode, split only where its server rewrote the conversation, or each turn").
		OneOf(string(WholeEpisodes), string(EachTurn))
	d.Float(&r.TurnDiscount, "turn_discount", "factor on a turn's reward in the return of the preceding turn; with sequences of turns, below 1 favours late turns (docs/areal.md)").Between(0, 1)
	d.Bool(&r.KeepEqual, "keep_equal", "keep groups with equal scores, which teach nothing")
	d.Int(&r.MinTrainable, "min_trainable", "least sampled tokens of every episode of a group").AtLeast(0)
	d.Int(&r.MaxSequence, "max_sequence", "every sequence must be shorter, in tokens; 0: no limit").AtLeast(0)
	d.Bool(&r.MaskTooLong, "mask_too_long", "do not train on episodes with a reply that a length limit cut, nor compare others with them")
	d.Int(&r.LengthBudget, "length_budget", "length penalty, in tokens: in a group without a score below a half, scores fall from three quarters of this length to 0 at the full length; 0: off").AtLeast(0)
	d.Bool(&r.RightOnly, "right_only", "an episode scores 1 if a reply was fully right, else 0: no partial credit")
	d.Float(&r.MalformedPenalty, "malformed_penalty", "subtracted from the score if the last reply has no readable answer").AtLeast(0)
	d.Float(&r.SuccessRateLB, "success_rate_lb", "least share of a group's episodes with a right reply").Between(0, 1)
	d.Float(&r.SuccessRateUB, "success_rate_ub", "largest share of a group's episodes with a right reply; 0: any").Between(0, 1)
}

// CheckSize returns an error if no group of so many episodes could be kept.
func (r Rules) CheckSize(size int) error {
	if size == 1 && !r.KeepsEqual() {
		return errors.New("group_size: is 1, and the scores of a group of one are all equal, so each group would be dropped: want 2 or more, or rules.baseline=seat, or rules.keep_equal=true")
	}
	return nil
}
