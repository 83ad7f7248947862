package judge

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/remote"
)

// narrow is a judge whose context has no room for long prompts.
type narrow struct {
	quintain.Policy
	most int // bytes
}

func (n narrow) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	if len(r.Messages[0].Text()) > n.most {
		return nil, &remote.Error{Kind: remote.TooLong}
	}
	return n.Policy.Sample(ctx, r)
}

// A reply does not choose not to be judged by being long: less of it is shown then.
func TestLongRepliesAreJudged(t *testing.T) {
	t.Parallel()
	long := []Item{{Question: "q", Reply: strings.Repeat("words ", 4000)}, {Question: "q", Reply: strings.Repeat("other ", 3000)}}
	rewards := func(_ context.Context, replies []RewardReply) ([]float64, error) {
		for _, r := range replies {
			if len(r.Messages[1].Content) > 5000 {
				return nil, &remote.Error{Kind: remote.TooLong}
			}
		}
		return make([]float64, len(replies)), nil
	}
	for why, j := range map[string]*Judge{
		"alone": newJudge(t, rubric(nil), narrow{say(says("no", "no")), 9000}, nil), "pairs": newJudge(t, rubric(func(r *Rubric) { r.Mode = Pairs }), narrow{say(says(tie, tie)), 9000}, nil),
		"a reward model": newJudge(t, DefaultRubric(), nil, func(c *Config) { c.Rewards = rewards }),
	} {
		for i, r := range j.Group(t.Context(), long) {
			if r.Err != nil {
				t.Errorf("%s: %d: %v", why, i, r.Err)
			}
		}
	}
	j := newJudge(t, rubric(nil), narrow{say(says("no", "no")), 100}, nil)
	if _, err := j.Grade(t.Context(), long[0]); !errors.Is(err, quintain.ErrUngraded) || j.Stats().Calls > 8 {
		t.Errorf("without room for the question: %v, %d calls", err, j.Stats().Calls)
	}
}
