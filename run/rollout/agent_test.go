package rollout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
)

// An asker is an agent that asks the policy once.
type asker struct {
	echo
	change func(*quintain.Trajectory) error
}

func (a *asker) Play(ctx context.Context, s quintain.Seat) (quintain.Trajectory, error) {
	played := quintain.Trajectory{Outcome: quintain.Scored, End: quintain.Terminated, Vocabulary: quintain.UTF8, Output: "seat " + s.Key}
	samples, err := s.Policy.Sample(ctx, quintain.Request{Key: s.Key, N: 1, Sampling: s.Sampling, Within: s.Within, Exam: s.Exam})
	if err != nil {
		return played, fmt.Errorf("%w: %w", quintain.ErrLost, err)
	}
	turn := quintain.Turn{Wrote: samples[0].Wrote, LogProbs: samples[0].LogProbs, Versions: samples[0].Versions, Finish: samples[0].Finish, Reward: 2}
	played.Turns = append(played.Turns, turn)
	if a.change != nil {
		err = a.change(&played)
	}
	return played, err
}

func TestAgentsPlayByThemselves(t *testing.T) {
	late := fmt.Errorf("%w: %w", quintain.ErrLost, quintain.ErrTimeout)
	for _, c := range []struct {
		why     string
		change  func(*quintain.Trajectory) error
		fails   int // requests
		want    quintain.Outcome
		tells   string
		replays int
	}{
		{why: "it is judged", want: quintain.Scored},
		{why: "its last reply was cut", change: func(t *quintain.Trajectory) error { t.Outcome = quintain.ModelFailed; return nil }, want: quintain.ModelFailed},
		{why: "its program fails", change: func(*quintain.Trajectory) error { return errors.New("exit status 1") }, want: quintain.EnvFailed, tells: "exit status 1"},
		{why: "the policy fails once", fails: 1, want: quintain.Scored, replays: 1},
		{why: "the policy fails", fails: 9, want: quintain.InfraFailed, tells: "no server", replays: 2},
		{why: "it takes too long", change: func(*quintain.Trajectory) error { return late }, want: quintain.TimedOut, tells: "too long"},
		{why: "it panics", change: func(*quintain.Trajectory) error { panic("out of cheese") }, want: quintain.EnvFailed, tells: "out of cheese"},
		{why: "a reward is no number", change: func(t *quintain.Trajectory) error { t.Turns[0].Reward = math.NaN(); return nil }, want: quintain.EnvFailed, tells: "the reward is NaN"},
		{why: "it has no outcome", change: func(t *quintain.Trajectory) error { t.Outcome = ""; return nil }, want: quintain.EnvFailed, tells: "outcome"},
		{why: "it did not end", change: func(t *quintain.Trajectory) error { t.End = quintain.Going; return nil }, want: quintain.EnvFailed, tells: "end"},
		{why: "it did not call", change: func(t *quintain.Trajectory) error { t.Turns = nil; return nil }, want: quintain.EnvFailed, tells: "0 turns"},
		{why: "a token that it read is none", change: func(t *quintain.Trajectory) error { t.Turns[0].Read = []quintain.Token{-1}; return nil }, want: quintain.InfraFailed, tells: "returned -1 as token", replays: 2},
		{why: "its tokens are not those sampled", change: func(t *quintain.Trajectory) error { t.Turns[0].Versions = nil; return nil }, want: quintain.InfraFailed, tells: "versions", replays: 2},
	} {
		t.Run(c.why, func(t *testing.T) {
			var out sink
			id, fails := problem(t, numbered{}, 0).ID()+"#0", c.fails
			e := Engine{
				Size: 1, Parallel: 1, Replays: 2, Limit: time.Minute, Exam: true, Sampling: quintain.Sampling{TopK: 3}, Done: out.done,
				Next: jobs(made{env: func() quintain.Env { return &asker{change: c.change} }}, 1),
				Policy: sampler(func(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
					if !strings.HasPrefix(r.Key, id) || r.Within != time.Minute || !r.Exam || r.Sampling.TopK != 3 {
						t.Errorf("request %+v", r)
					}
					if fails--; fails >= 0 {
						return nil, errors.New("no server")
					}
					return says("end", 1), nil
				}),
			}
			if err := e.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := out.results[0].Trajectories[0]
			if got.Outcome != c.want || !strings.Contains(got.Error, c.tells) || got.Replays != c.replays || got.Outcome.Rewarded() != (got.Error == "") {
				t.Errorf("outcome %s, error %q, %d replays; want %s, %q, %d", got.Outcome, got.Error, got.Replays, c.want, c.tells, c.replays)
			}
			if got.Outcome.Rewarded() && (got.Reward() != 2 || !strings.HasPrefix(got.Output, "seat "+id) || got.Vocabulary != quintain.UTF8) {
				t.Errorf("trajectory %+v", got)
			}
		})
	}
}
