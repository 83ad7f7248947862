package rollout

import (
	"context"
	"io"

	"github.com/quintain-rl/quintain"
)

// Play plays one episode of a job's problem. An episode that failed is no error: its
// outcome says so. The error is that of ctx, or of the policy.
func Play(ctx context.Context, p quintain.Policy, sampling quintain.Sampling, job Job) (quintain.Trajectory, error) {
	var played quintain.Trajectory
	left := 1
	engine := Engine{
		Policy: p, Sampling: sampling, Size: 1, Parallel: 1,
		Next: func(context.Context) (Job, error) {
			if left--; left < 0 {
				return Job{}, io.EOF
			}
			return job, nil
		},
		Done: func(_ context.Context, r Result) error {
			played = r.Trajectories[0]
			return nil
		},
	}
	err := engine.Run(ctx)
	return played, err
}
