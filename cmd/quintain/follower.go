package main

import (
	"context"

	"github.com/quintain-rl/quintain/hub"
)

// A follower stands in for the consumer where a trainer takes the batches from the
// hub: the policy's version is the hub's step.
type follower struct {
	consumer
	hub  *hub.Run
	told bool // that the trainer's batch is of another size
}

// Run follows the hub until ctx is done or all steps are made.
func (f *follower) Run(ctx context.Context) error {
	for first := f.hub.Step(); ; {
		stepped := f.hub.Stepped()
		step := f.hub.Step()
		f.gate.Advance(step)
		f.compareBatch()
		f.tally.at(step, step-first)
		if err := f.dropStale(ctx); err != nil {
			return f.unlessDone(ctx, err)
		}
		if f.steps > 0 && step-first >= f.steps {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-stepped:
		}
	}
}

// compareBatch warns once where the trainer's batch is not that of the run, which
// the gate counts with.
func (f *follower) compareBatch() {
	if n := f.hub.BatchSize(); n > 0 && n != f.batch && !f.told {
		f.told = true
		f.log.Warn("the trainer's batch has another size than the run's: episodes start too early or too late; set run.batch_size to the trainer's",
			"trainer", n, "run", f.batch)
	}
}
