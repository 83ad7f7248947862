package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/learn"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
)

// A consumer takes batches from the queue, as a trainer would, and raises the
// policy's version for each.
type consumer struct {
	queue    *queue.Queue
	keeper   *keeper
	gate     *rollout.Admission
	tally    *tally
	log      *slog.Logger
	batch    int           // sequences of a batch
	maxLag   int           // versions that a group may be old
	stepTime time.Duration // that a batch takes besides its training
	trainer  *trainer      // what makes the step; nil: nothing does
	steps    int           // after which it ends; 0: never
}

// consumerName is the name under which it leases.
const consumerName = "builtin"

// Run consumes batches until ctx is done or all steps are made. A batch that it
// has not finished then is waiting again.
func (c *consumer) Run(ctx context.Context) error {
	if err := c.settle(ctx); err != nil {
		return c.unlessDone(ctx, err)
	}
	for done := 0; c.steps == 0 || done < c.steps; {
		batch, err := c.next(ctx)
		if err != nil {
			return err
		}
		if batch == nil || !pause(ctx, c.stepTime) {
			c.queue.ReleaseAll(consumerName)
			return nil
		}
		if done, err = c.step(context.WithoutCancel(ctx), batch); err != nil {
			return err
		}
	}
	return nil
}

// pause waits, and reports whether ctx is still not done.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// settle acknowledges what an earlier process consumed and could not acknowledge
// any more.
func (c *consumer) settle(ctx context.Context) error {
	_, consumed := c.keeper.version()
	left, err := c.queue.Lease(ctx, queue.Want{Consumer: consumerName, Raw: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		var left []queue.Entry
		for _, e := range waiting {
			if slices.Contains(consumed, e.ID) {
				left = append(left, e)
			}
		}
		return left
	}})
	if err != nil || len(left) == 0 {
		return err
	}
	c.log.Info("these groups were consumed before the last process ended", "groups", ids(left))
	return c.queue.Ack(ctx, consumerName, seqs(left)...)
}

// next waits for a whole batch and leases it; nil where ctx is done before. What
// is too old is dropped.
func (c *consumer) next(ctx context.Context) ([]queue.Delivery, error) {
	for {
		changed := c.queue.Changed()
		if err := c.dropStale(ctx); err != nil {
			return nil, c.unlessDone(ctx, err)
		}
		batch, err := c.queue.Lease(ctx, queue.Want{Consumer: consumerName, Pick: c.pick})
		if err != nil || len(batch) > 0 {
			return batch, c.unlessDone(ctx, err)
		}
		select {
		case <-ctx.Done():
			return nil, nil
		case <-changed:
		}
	}
}

// unlessDone returns err, or nil where ctx is done and err only says so.
func (c *consumer) unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// pick chooses the oldest groups that make a whole batch, or none. A trainer takes
// only what its own policy played: others may post to the hub what they like. What came
// too late since dropStale waits for the next.
func (c *consumer) pick(waiting []queue.Entry) []queue.Entry {
	var batch []queue.Entry
	room, version := c.batch, c.gate.Version()
	for _, e := range waiting {
		if e.Sequences > 0 && e.Sequences <= room && !e.Stale(version, c.maxLag) && (c.trainer == nil || e.Task != "") {
			batch = append(batch, e)
			room -= e.Sequences
		}
		if room == 0 {
			return batch
		}
	}
	return nil
}

// dropStale drops the groups that are older than the staleness bound. They are
// leased first, so that no other consumer gets them meanwhile.
func (c *consumer) dropStale(ctx context.Context) error {
	version := c.gate.Version()
	stale, err := c.queue.Lease(ctx, queue.Want{Consumer: consumerName, Raw: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		var stale []queue.Entry
		for _, e := range waiting {
			if e.Stale(version, c.maxLag) {
				stale = append(stale, e)
			}
		}
		return stale
	}})
	if err != nil || len(stale) == 0 {
		return err
	}
	c.log.Debug("dropping stale groups", "version", version, "groups", ids(stale))
	if _, err := c.queue.Drop(ctx, seqs(stale)...); err != nil {
		return fmt.Errorf("dropping stale groups: %w", err)
	}
	for _, d := range stale {
		c.tally.drop(rollout.DropStale)
		c.gate.Leave(d.Sequences)
	}
	return nil
}

// step consumes a batch. What the trainer makes of it is kept first, then the
// version and the batch's IDs, then the groups are acknowledged, so that none is
// ever consumed twice. It returns the number of steps made.
func (c *consumer) step(ctx context.Context, batch []queue.Delivery) (int, error) {
	version := c.gate.Version()
	c.log.Debug("consuming", "version", version+1, "groups", ids(batch))
	batch, err := c.train(ctx, batch)
	if err != nil || len(batch) == 0 {
		return c.tally.made(), err
	}
	if err := c.keeper.advance(ctx, version+1, ids(batch)); err != nil {
		return 0, err
	}
	if err := c.queue.Ack(ctx, consumerName, seqs(batch)...); err != nil {
		return 0, fmt.Errorf("acknowledging a batch: %w", err)
	}
	if c.trainer != nil {
		if err := c.trainer.publish(); err != nil {
			return 0, err
		}
	}
	c.gate.Advance(version + 1)
	return c.tally.step(version+1, lags(version, batch)), nil
}

// lags tells how many versions the groups of a batch are behind.
func lags(version int, batch []queue.Delivery) []int {
	lags := []int{}
	for _, d := range batch {
		if d.Oldest >= 0 {
			lags = append(lags, version-int(d.Oldest))
		}
	}
	return lags
}

// train has the trainer make its step on a batch, and returns the groups that it
// trained on. One that it refuses is dropped, or it would come again for ever.
func (c *consumer) train(ctx context.Context, batch []queue.Delivery) ([]queue.Delivery, error) {
	for c.trainer != nil && len(batch) > 0 {
		metrics, err := c.trainer.step(batch)
		var refused *learn.GroupError
		if !errors.As(err, &refused) {
			c.tally.trained(metrics)
			return batch, err
		}
		c.log.Warn("dropping a group that cannot be trained on", "error", err)
		d := batch[refused.Index]
		if _, err := c.queue.Drop(ctx, d.Seq); err != nil {
			return nil, fmt.Errorf("dropping a group: %w", err)
		}
		c.tally.drop(rollout.DropRefused)
		c.gate.Leave(d.Sequences)
		batch = slices.Delete(batch, refused.Index, refused.Index+1)
	}
	return batch, nil
}

// ids lists the IDs of deliveries.
func ids(batch []queue.Delivery) []string {
	all := make([]string, len(batch))
	for i, d := range batch {
		all[i] = d.ID
	}
	return all
}

// seqs lists the numbers of deliveries.
func seqs(batch []queue.Delivery) []uint64 {
	all := make([]uint64, len(batch))
	for i, d := range batch {
		all[i] = d.Seq
	}
	return all
}
