package run

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/tiny/learn"
)

// consumerName is the name under which the run leases groups.
const consumerName = "builtin"

// consumeBatches takes batches from the queue, as a trainer would, until ctx ends or
// all steps are made. A batch that is not finished then waits again.
func (r *Run) consumeBatches(ctx context.Context) error {
	if err := r.settle(ctx); err != nil {
		return unlessDone(ctx, err)
	}
	steps := r.config.Settings.Steps
	for done := 0; steps == 0 || done < steps; {
		batch, err := r.nextBatch(ctx)
		if err != nil {
			return err
		}
		if batch == nil || !pause.For(ctx, r.config.Settings.StepTime) {
			r.config.Queue.ReleaseAll(consumerName)
			return nil
		}
		made, err := r.step(context.WithoutCancel(ctx), batch)
		if err != nil {
			return err
		}
		if made {
			done++
		}
	}
	return nil
}

// settle acknowledges what an earlier process consumed and could not acknowledge any
// more.
func (r *Run) settle(ctx context.Context) error {
	consumed := r.ledger.consumed()
	left, err := r.lease(ctx, func(e *queue.Entry) bool { return slices.Contains(consumed, e.ID) })
	if err != nil || len(left) == 0 {
		return err
	}
	r.log.Info("these groups were consumed before the last process ended", "groups", ids(left))
	return r.config.Queue.Ack(ctx, consumerName, seqs(left)...)
}

// lease leases all waiting groups that want picks, without reading them.
func (r *Run) lease(ctx context.Context, want func(*queue.Entry) bool) ([]queue.Delivery, error) {
	return r.config.Queue.Lease(ctx, queue.Want{Consumer: consumerName, Raw: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		var picked []queue.Entry
		for i := range waiting {
			if want(&waiting[i]) {
				picked = append(picked, waiting[i])
			}
		}
		return picked
	}})
}

// nextBatch waits for a whole batch and leases it; nil if ctx ends before. What is too
// old is dropped.
func (r *Run) nextBatch(ctx context.Context) ([]queue.Delivery, error) {
	for {
		changed := r.config.Queue.Changed()
		if err := r.dropStale(ctx); err != nil {
			return nil, unlessDone(ctx, err)
		}
		batch, err := r.config.Queue.Lease(ctx, queue.Want{Consumer: consumerName, Pick: r.pick})
		if err != nil || len(batch) > 0 {
			return batch, unlessDone(ctx, err)
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-changed:
		}
	}
}

// unlessDone returns err, or nil if it only says that ctx has ended.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// pick chooses the oldest groups that make a whole batch, or none. A learner takes only
// what its own policy played: others may post to a hub over the queue. What came too
// late since dropStale waits for the next batch.
func (r *Run) pick(waiting []queue.Entry) []queue.Entry {
	var batch []queue.Entry
	room, version := r.config.Settings.BatchSize, r.trained()
	for _, e := range waiting {
		if n := int(e.Episodes); n > 0 && n <= room && !e.Stale(version, r.config.Settings.MaxLag) && (r.config.Learner == nil || e.HasTask) {
			batch = append(batch, e)
			room -= n
		}
		if room == 0 {
			return batch
		}
	}
	return nil
}

// dropStale drops the groups that are older than the staleness bound. They are leased
// first, so that no other consumer gets them meanwhile.
func (r *Run) dropStale(ctx context.Context) error {
	version := r.trained()
	stale, err := r.lease(ctx, func(e *queue.Entry) bool { return e.Stale(version, r.config.Settings.MaxLag) })
	if err != nil || len(stale) == 0 {
		return err
	}
	return r.drop(ctx, rollout.DropStale, stale...)
}

// drop drops groups that are leased.
func (r *Run) drop(ctx context.Context, why rollout.Drop, groups ...queue.Delivery) error {
	r.log.Debug("dropping groups", "why", why, "step", r.trained(), "groups", ids(groups))
	if _, err := r.config.Queue.Drop(ctx, seqs(groups)...); err != nil {
		return fmt.Errorf("dropping groups: %w", err)
	}
	for i := range groups {
		r.ledger.gate.Leave(int(groups[i].Episodes))
	}
	return r.note(Dropped{why, ids(groups)})
}

// step consumes a batch, and reports whether a step was made. What the learner makes of
// it is kept first, then the version and the batch's IDs, then the groups are
// acknowledged, and then the policy gets the new weights.
func (r *Run) step(ctx context.Context, batch []queue.Delivery) (made bool, err error) {
	before := r.trained()
	r.log.Debug("consuming", "version", before+1, "groups", ids(batch))
	batch, step, err := r.train(ctx, batch)
	if err != nil || len(batch) == 0 {
		return false, err
	}
	step.Version, err = r.ledger.advance(ctx, batch, func() error {
		if err := r.config.Queue.Ack(ctx, consumerName, seqs(batch)...); err != nil {
			return fmt.Errorf("acknowledging a batch: %w", err)
		}
		if r.config.Learner != nil {
			return r.config.Learner.Publish()
		}
		return nil
	})
	if err != nil {
		return false, err
	}
	return true, r.note(Stepped{step, lags(before, batch), r.config.Learner != nil, r.Standings()})
}

// train has the learner make its step on a batch, and returns the groups that it
// trained on. One that it refuses is dropped, or it would come again forever.
func (r *Run) train(ctx context.Context, batch []queue.Delivery) ([]queue.Delivery, learn.Step, error) {
	if r.config.Learner == nil {
		return batch, learn.Step{Batch: ids(batch), Seconds: time.Since(r.start).Seconds()}, nil
	}
	for len(batch) > 0 {
		groups := make([]*quintain.Group, len(batch))
		for i := range batch {
			groups[i] = batch[i].Group
		}
		step, err := r.config.Learner.Step(ids(batch), groups)
		var refused *learn.GroupError
		if !errors.As(err, &refused) {
			return batch, step, err
		}
		r.log.Warn("dropping a group that cannot be trained on", "error", err)
		if err := r.drop(ctx, rollout.DropRefused, batch[refused.Index]); err != nil {
			return nil, step, err
		}
		batch = slices.Delete(batch, refused.Index, refused.Index+1)
	}
	return nil, learn.Step{}, nil
}

// lags tells how many versions the groups of a batch are behind.
func lags(version int, batch []queue.Delivery) []int {
	all := []int{}
	for i := range batch {
		if oldest := batch[i].Oldest; oldest >= 0 {
			all = append(all, version-int(oldest))
		}
	}
	return all
}

// ids lists the IDs of deliveries.
func ids(batch []queue.Delivery) []string {
	all := make([]string, len(batch))
	for i := range batch {
		all[i] = batch[i].ID
	}
	return all
}

// seqs lists the sequence numbers of deliveries.
func seqs(batch []queue.Delivery) []uint64 {
	all := make([]uint64, len(batch))
	for i := range batch {
		all[i] = batch[i].Seq
	}
	return all
}
