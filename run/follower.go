package run

import (
	"context"

	"github.com/quintain-rl/quintain/tiny/learn"
)

// A follower stands in for the consumer when a trainer outside takes the batches.
type follower struct {
	*Run
	first    int         // steps that the trainer had made when this process began
	episodes int         // that it was known to have trained on
	lags     map[int]int // its staleness then
	warned   bool        // that the trainer's batch is of another size
}

// newFollower returns a follower that begins where the trainer is.
func newFollower(r *Run) *follower {
	f := &follower{Run: r}
	f.first, f.episodes = r.config.Trainer.Acked()
	f.lags = r.config.Trainer.Staleness()
	f.open(f.first, f.episodes)
	return f
}

// run follows the trainer until ctx ends or all steps are made.
func (f *follower) run(ctx context.Context) error {
	trainer, want := f.config.Trainer, f.config.Settings.Steps
	for last := f.first; ; {
		progress := trainer.Progress()
		steps, episodes := trainer.Acked()
		f.open(steps, episodes)
		f.compareBatch()
		for ; last < steps; last++ {
			if err := f.note(Stepped{Step: learn.Step{Version: last + 1}, Lags: f.newLags(), Standings: f.Standings()}); err != nil {
				return err
			}
		}
		if err := f.dropStale(ctx); err != nil {
			return unlessDone(ctx, err)
		}
		if want > 0 && steps-f.first >= want {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-progress:
		}
	}
}

// open opens the gate for what the trainer has trained on. Until the version of the
// policy's weights is told, they count as those of its last step.
func (f *follower) open(steps, episodes int) {
	behind := 0
	if version := f.config.Trainer.Version(); version >= 0 {
		behind = max(0, steps-version)
	}
	f.ledger.follow(steps)
	f.ledger.gate.Trained(episodes-f.episodes, behind)
	f.episodes = episodes
}

// newLags lists the lags of the groups that were acknowledged since it was called last.
func (f *follower) newLags() (list []int) {
	now := f.config.Trainer.Staleness()
	for lag, n := range now {
		for range n - f.lags[lag] {
			list = append(list, lag)
		}
	}
	f.lags = now
	return list
}

// compareBatch warns once if the trainer's batch is not that of the run, which the gate
// counts with.
func (f *follower) compareBatch() {
	if n := f.config.Trainer.BatchSize(); n > 0 && n != f.config.Settings.BatchSize && !f.warned {
		f.warned = true
		f.log.Warn("the trainer's batch has another size than the run's, so episodes start too early or too late: set run.batch_size to the trainer's",
			"trainer", n, "run", f.config.Settings.BatchSize)
	}
}
