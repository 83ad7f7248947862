package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run/rollout"
)

// An Allocator shares the problems of streams among the runs that play them, each problem to one.
type Allocator interface {
	// Allocate returns a block for each of wants. It may return the blocks again that it returned
	// to the last request of this run, if that request began at the same places.
	Allocate(ctx context.Context, wants []rollout.Want) ([]rollout.Block, error)
}

// allocateAgain is the time until a failed allocator is asked again.
const allocateAgain = time.Second

// restock keeps the mix in problems of the allocator until ctx ends. Each block is in the record
// before the next is asked for: the allocator remembers the last.
func (r *Run) restock(ctx context.Context) error {
	for ctx.Err() == nil {
		wants := r.mix.Wants()
		if len(wants) == 0 {
			select {
			case <-r.mix.Low():
			case <-ctx.Done():
			}
			continue
		}
		if err := r.allocate(ctx, wants); err != nil {
			r.log.Warn("no more problems are dealt out", "err", err)
			pause.For(ctx, allocateAgain)
			continue
		}
		if err := r.ledger.save(context.WithoutCancel(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// allocate gives the mix what it wants.
func (r *Run) allocate(ctx context.Context, wants []rollout.Want) error {
	blocks, err := r.config.Trainer.Allocator.Allocate(ctx, wants)
	if err == nil && len(blocks) != len(wants) {
		err = fmt.Errorf("%s came for %s", stats.Count(len(blocks), "block"), stats.Count(len(wants), "stream"))
	}
	for i := 0; err == nil && i < len(blocks); i++ {
		err = r.mix.Give(wants[i].Stream, blocks[i])
	}
	return err
}

// draw returns the next problem, and waits until the allocator has given it.
func (r *Run) draw(ctx context.Context) (rollout.Job, error) {
	for {
		given := r.mix.Given()
		job, err := r.mix.Next()
		if !errors.Is(err, rollout.ErrNoShare) {
			return job.Traced(r.config.Traces, r.ID()), err
		}
		select {
		case <-given:
		case <-ctx.Done():
			return rollout.Job{}, context.Cause(ctx)
		}
	}
}
