package judge

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/remote"
)

// newRewarder returns a judge with a reward model whose reward is the length of a reply, less 3,
// after these faults. asked counts the replies of each call.
func newRewarder(t *testing.T, change func(*Config), faults ...error) (j *Judge, asked *[]int) {
	t.Helper()
	asked = &[]int{}
	j = newJudge(t, DefaultRubric(), nil, func(c *Config) {
		c.Rewards = func(_ context.Context, replies []RewardReply) ([]float64, error) {
			*asked = append(*asked, len(replies))
			if n := len(*asked); n <= len(faults) && faults[n-1] != nil {
				return nil, faults[n-1]
			}
			rewards := make([]float64, len(replies))
			for i, r := range replies {
				rewards[i] = float64(len(r.Messages[1].Content)) - 3
			}
			return rewards, nil
		}
		if change != nil {
			change(c)
		}
	})
	return j, asked
}

// Equal replies of a group are one, and all of them one call; what the cache has is not asked.
func TestRewardsOfAGroup(t *testing.T) {
	t.Parallel()
	cache, err := OpenStore(t.TempDir(), 100)
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	j, asked := newRewarder(t, func(c *Config) { c.Cache = cache })
	for n, want := range []string{"[3]", "[3]", "[3 1]"} {
		replies := []string{"", "<think>no</think>ab", "ab", "abcd", "abcde"}
		if n == 2 {
			replies[4] = "abcdef"
		}
		results := j.Group(t.Context(), group(replies[:4+n/2]...))
		if got := fmt.Sprint(scores(t, results)[:4]); got != "[-3 -1 -1 1]" || fmt.Sprint(*asked) != want {
			t.Errorf("group %d: rewards %s; calls %v, want %s", n, got, *asked, want)
		}
		if v := results[1].Verdict; v.Right || v.Malformed || v.Why != "reward -1" || v.Cached+v.Calls != 1 || (v.Cached == 1) != (n > 0) || v.Since.IsZero() != (n == 0) {
			t.Errorf("group %d: %+v", n, v)
		}
	}
	if s := j.Stats(); s.Judged != 13 || s.Cached != 6 || s.Calls != 2 || s.Length < 0.99 {
		t.Errorf("%+v", s)
	}
	if v, err := j.Grade(t.Context(), Item{Question: "another", Reply: "ab"}); err != nil || v.Score != -1 || v.Cached > 0 {
		t.Errorf("another question: %+v, error %v", v, err)
	}
}

// A reward model that fails gives no reward.
func TestRewardsThatFail(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		fault  error
		change func(*Config)
		kind   Kind
		final  bool
	}{
		{"the server", &remote.Error{Kind: remote.Unreachable, Err: errors.New("no route")}, nil, CallFailed, false},
		{"the template", errors.New("no such role"), nil, CallFailed, true},
		{"the budget", nil, func(c *Config) { c.Tokens = 1 }, OverBudget, false},
		{"too few", nil, func(c *Config) {
			c.Rewards = func(context.Context, []RewardReply) ([]float64, error) { return []float64{1}, nil }
		}, CallFailed, true},
		{"infinite", nil, func(c *Config) {
			c.Rewards = func(context.Context, []RewardReply) ([]float64, error) { return []float64{1, math.Inf(1)}, nil }
		}, CallFailed, true},
	} {
		j, _ := newRewarder(t, test.change, test.fault)
		if test.kind == OverBudget {
			scores(t, j.Group(t.Context(), group("first")))
		}
		for i, r := range j.Group(t.Context(), group("a", "bb")) {
			u, ok := errors.AsType[*Ungraded](r.Err)
			if !ok || u.Kind != test.kind || u.later() == (test.final || test.kind == OverBudget) || r.Verdict.Score != 0 || !errors.Is(r.Err, quintain.ErrUngraded) {
				t.Errorf("%s: %d: %+v", test.why, i, r)
			}
		}
		if s := j.Stats(); s.Ungraded != 2 {
			t.Errorf("%s: %+v", test.why, s)
		}
	}
}

// A group waits for a reward model as for any judge, and its context ends that.
func TestRewardsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := &remote.Error{Kind: remote.Unreachable, Err: errors.New("no route")}
		j, asked := newRewarder(t, func(c *Config) { c.Within, c.Hold = time.Minute, &Hold{} }, away, away)
		if r := j.Group(t.Context(), group("abcd")); r[0].Err != nil || r[0].Verdict.Score != 1 || len(*asked) != 3 {
			t.Errorf("%+v after %v", r, *asked)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("the run ends"))
		if r := j.Group(ctx, group("other")); r[0].Err == nil || !strings.Contains(r[0].Err.Error(), "the run ends") || errors.Is(r[0].Err, quintain.ErrUngraded) {
			t.Errorf("%+v", r)
		}
	})
}
