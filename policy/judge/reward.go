package judge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/remote"
)

// Rewards asks a reward model, as [RewardModel.Rewards] does.
type Rewards func(ctx context.Context, replies []RewardReply) ([]float64, error)

// A reward is one reply for a reward model, of one or several equal items.
type reward struct {
	ask   RewardReply
	key   VerdictKey
	at    []int // places of the items
	size  int   // bytes of the reply
	known bool  // it was in the cache
	Result
}

// reward has the reward model judge replies: equal ones once, and all that are not in the cache
// together.
func (j *Judge) reward(ctx context.Context, items []Item, results []Result) {
	all := j.distinct(items)
	var unknown []*reward
	for _, r := range all {
		if j.remember(r); !r.known {
			unknown = append(unknown, r)
		}
	}
	if len(unknown) > 0 {
		j.askRewards(ctx, unknown)
	}
	for _, r := range all {
		for _, i := range r.at {
			results[i] = r.Result
			if r.Err == nil {
				j.note(r.Verdict.Score, r.size)
			}
		}
	}
}

// distinct returns the different replies of items.
func (j *Judge) distinct(items []Item) (all []*reward) {
	met := map[VerdictKey]*reward{}
	for i, it := range items {
		text := j.reply(it.shown(j.cfg.Rubric.View))
		sum := sha256.New()
		for _, part := range []string{j.hash, j.cfg.Model, j.cfg.Fingerprint, it.Question, it.Reference, text} {
			_, _ = fmt.Fprintf(sum, "%d:%s", len(part), part)
		}
		var key VerdictKey
		copy(key[:], sum.Sum(nil))
		r := met[key]
		if r == nil {
			r = &reward{key: key, size: len(text), ask: RewardReply{Label: it.Reference, Messages: []quintain.Message{
				{Role: quintain.RoleUser, Content: legible(it.Question)}, {Role: quintain.RoleAssistant, Content: text},
			}}}
			met[key] = r
			all = append(all, r)
		}
		r.at = append(r.at, i)
	}
	return all
}

// remember takes a reward from the cache, if it is there.
func (j *Judge) remember(r *reward) {
	if j.cfg.Cache == nil {
		return
	}
	v, known := j.cfg.Cache.Get(r.key)
	if !known || len(v.Choices) != 1 {
		return
	}
	score, err := strconv.ParseFloat(v.Choices[0], 64)
	if err != nil {
		return
	}
	j.cached.Add(1)
	r.known, r.Verdict = true, rewarded(score)
	r.Verdict.Cached, r.Verdict.Since = 1, v.At
}

// rewarded returns the verdict of a reward.
func rewarded(score float64) Verdict {
	return Verdict{Score: score, Why: fmt.Sprintf("reward %.4g", score)}
}

// askRewards asks for rewards, patiently, and keeps them.
func (j *Judge) askRewards(ctx context.Context, unknown []*reward) {
	replies := make([]string, len(unknown))
	for i, r := range unknown {
		replies[i] = r.ask.Messages[1].Content
	}
	var scores []float64
	err := j.patiently(ctx, func() error {
		return j.fitting(replies, func(shown []string) (err error) {
			asks := make([]RewardReply, len(unknown))
			for i, r := range unknown {
				asks[i] = r.ask
				asks[i].Messages = []quintain.Message{r.ask.Messages[0], {Role: quintain.RoleAssistant, Content: shown[i]}}
			}
			scores, err = j.callRewards(ctx, asks)
			return err
		})
	})
	if errors.Is(err, quintain.ErrUngraded) {
		j.ungraded.Add(int64(len(unknown) - 1)) // the first is counted
	}
	for i, r := range unknown {
		if r.Err = err; err != nil {
			continue
		}
		r.Verdict = rewarded(scores[i])
		r.Verdict.Calls = 1
		j.keep(r.key, ballot{choices: []string{strconv.FormatFloat(scores[i], 'g', -1, 64)}, at: time.Now().UTC().Truncate(time.Second)})
	}
}

// callRewards asks for rewards once, within the limits. The error is an [*Ungraded], or the cause
// of ctx.
func (j *Judge) callRewards(ctx context.Context, asks []RewardReply) ([]float64, error) {
	select {
	case j.slots <- struct{}{}:
		defer func() { <-j.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err := j.cfg.Hold.wait(ctx); err != nil {
		return nil, err
	}
	if err := j.spend(); err != nil {
		return nil, &Ungraded{OverBudget, err}
	}
	scores, err := j.cfg.Rewards(ctx, asks)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err == nil {
		err = sound(scores, len(asks))
	}
	if err == nil {
		for _, ask := range asks {
			j.in.Add(int64(len(ask.Messages[0].Content)+len(ask.Messages[1].Content)+3) / 4)
		}
		return scores, nil
	}
	j.failed.Add(1)
	j.cfg.Hold.Failed(err)
	if _, ok := errors.AsType[*remote.Error](err); !ok { // the template refuses the conversation, and will again
		err = fmt.Errorf("%w: %w", quintain.ErrFinal, err)
	}
	return nil, &Ungraded{CallFailed, err}
}

// sound reports rewards that are not one finite number for each of n replies.
func sound(scores []float64, n int) error {
	if len(scores) != n {
		return fmt.Errorf("%s for %s", stats.Count(len(scores), "reward"), stats.Count(n, "reply"))
	}
	for i, score := range scores {
		if err := quintain.CheckReward(score); err != nil {
			return fmt.Errorf("reply %d: %w", i, err)
		}
	}
	return nil
}
