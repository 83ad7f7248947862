package run

import (
	"context"

	"github.com/quintain-rl/quintain/run/rollout"
)

// engine returns the engine that plays the run's problems, with so many episodes at once.
func (r *Run) engine(slots int) *rollout.Engine {
	s := r.config.Settings
	return &rollout.Engine{
		Policy: r.config.Policy, Sampling: r.config.Sampling, Opponents: r.config.Opponents,
		Size: s.GroupSize, Parallel: max(1, slots/s.GroupSize),
		Grace: s.Grace, Replays: s.Replays, Limit: s.EpisodeTime, Cut: r.config.Cut, Next: r.next,
		Done: func(ctx context.Context, result rollout.Result) error {
			_, err := r.receive(ctx, result)
			return err
		},
	}
}

// entering is the number of episodes that enter with a problem: a group for each seat of the policy.
func (r *Run) entering() int { return r.config.Settings.GroupSize * rollout.Seats(r.config.Streams) }

// next waits until a group may start, and hands out its problem.
func (r *Run) next(ctx context.Context) (rollout.Job, error) {
	if err := r.admit(ctx); err != nil {
		return rollout.Job{}, err
	}
	return r.draw(ctx)
}

// admit waits until a group may start.
func (r *Run) admit(ctx context.Context) error {
	for _, f := range []*backoff{r.faults, r.refusals, r.aged} {
		if err := f.wait(ctx); err != nil {
			return err
		}
	}
	return r.playtime.entered(r.consumer.enter(ctx))
}
