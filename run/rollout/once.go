package rollout

import (
	"context"
	"io"

	"github.com/quintain-rl/quintain"
)

// Play plays one episode of a job's problem. A failure of the policy or the environment is
// not an error, but the outcome of the episode. The error is the cause of ctx, if that
// ended before the episode began.
func Play(ctx context.Context, p quintain.Policy, sampling quintain.Sampling, job Job) (quintain.Trajectory, error) {
	var played quintain.Trajectory
	left, done := 1, false
	engine := Engine{
		Policy: p, Sampling: sampling, Size: 1, Parallel: 1,
		Next: func(context.Context) (Job, error) {
			if left--; left < 0 {
				return Job{}, io.EOF
			}
			return job, nil
		},
		Done: func(_ context.Context, r Result) error {
			played, done = r.Trajectories[0], true
			return nil
		},
	}
	if err := engine.Run(ctx); err != nil {
		return played, err
	}
	if !done {
		return played, context.Cause(ctx)
	}
	return played, nil
}
