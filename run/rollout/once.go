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
	return Once(ctx, Engine{Policy: p, Sampling: sampling}, job)
}

// Once is [Play] by the policies of an engine.
func Once(ctx context.Context, engine Engine, job Job) (quintain.Trajectory, error) {
	var played quintain.Trajectory
	left, done := 1, false
	engine.Size, engine.Parallel = 1, 1
	engine.Next = func(context.Context) (Job, error) {
		if left--; left < 0 {
			return Job{}, io.EOF
		}
		return job, nil
	}
	engine.Done = func(_ context.Context, r Result) error {
		played, done = r.Trajectories[0], true
		return nil
	}
	if err := engine.Run(ctx); err != nil {
		return played, err
	}
	if !done {
		return played, context.Cause(ctx)
	}
	return played, nil
}
