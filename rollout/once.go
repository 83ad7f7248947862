package rollout

import (
	"context"
	"io"

	"github.com/quintain-rl/quintain"
)

// Play plays one episode of a job's problem. A failure of the policy or the environment is
// not an error, but the outcome of the episode. If ctx has ended already, the trajectory is
// zero.
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
