package rollout

import (
	"context"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
)

// agent lets an agent play an episode from its first call to its end.
func (e *Engine) agent(ctx context.Context, ep *episode, agent quintain.Agent) {
	ep.guard(ctx, func() error {
		played, err := agent.Play(ctx, quintain.Seat{Policy: e.Policy, Key: ep.key(), Sampling: e.Sampling, Within: e.Limit, Exam: e.Exam, Helpers: e.helpers(ep.key())})
		of := &ep.record
		of.Turns, of.Vocabulary, of.Output = played.Turns, played.Vocabulary, played.Output
		if err != nil {
			return err
		}
		if err := checkPlayed(&played); err != nil {
			return err
		}
		of.End, of.Outcome, of.Took = played.End, played.Outcome, time.Since(of.Started)
		return nil
	})
}

// checkPlayed reports the first promise of [quintain.Agent] that an episode breaks.
func checkPlayed(t *quintain.Trajectory) error {
	if !t.Outcome.Rewarded() || t.End == quintain.Going || len(t.Turns) == 0 {
		return fmt.Errorf("the agent returned an episode of %d turns with outcome %q and end %q", len(t.Turns), t.Outcome, t.End)
	}
	for k := range t.Turns {
		turn := &t.Turns[k]
		if err := quintain.CheckReward(turn.Reward); err != nil {
			return fmt.Errorf("the agent: call %d: %w", k, err)
		}
		if err := turn.Check(); err != nil {
			return fmt.Errorf("%w: call %d: %w", quintain.ErrLost, k, err)
		}
	}
	return nil
}
