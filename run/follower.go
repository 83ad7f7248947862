package run

import (
	"context"

	"github.com/quintain-rl/quintain/learn"
)

// A follower stands in for the consumer when a trainer outside takes the batches: the
// policy's version is the trainer's step.
type follower struct {
	*Run
	warned bool // that the trainer's batch is of another size
}

// run follows the trainer until ctx ends or all steps are made.
func (f *follower) run(ctx context.Context) error {
	trainer, steps := f.config.Trainer, f.config.Settings.Steps
	for last := f.from; ; {
		stepped := trainer.Stepped()
		step := trainer.Step()
		f.ledger.follow(step)
		f.compareBatch()
		for ; last < step; last++ {
			if err := f.note(Stepped{Step: learn.Step{Version: last + 1}}); err != nil {
				return err
			}
		}
		if err := f.dropStale(ctx); err != nil {
			return unlessDone(ctx, err)
		}
		if steps > 0 && step-f.from >= steps {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-stepped:
		}
	}
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
