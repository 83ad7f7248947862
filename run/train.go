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
	"github.com/quintain-rl/quintain/queue/packing"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tiny"
)

// A Learner trains the policy of a run. It is for one goroutine.
type Learner interface {
	// Last is the last step with a kept result.
	Last() tiny.Step

	// Step trains on groups and returns when the result is kept. A [*tiny.GroupError]
	// leaves everything as it was.
	Step(ids []string, groups []*quintain.Group) (tiny.Step, error)

	// Publish gives the policy the weights of the last step.
	Publish() error
}

// Train returns the built-in consumer: it takes batches, and l makes a step on each. If l
// is nil, nothing is trained: each batch only raises the version.
func Train(l Learner) Consumer { return &training{learner: l, trains: l != nil} }

// training is the built-in consumer.
type training struct {
	gated
	learner Learner
	trains  bool
}

// A forgetter is a Learner that trains nothing.
type forgetter struct{ start time.Time }

func (f forgetter) Last() tiny.Step { return tiny.Step{} }

func (f forgetter) Step(ids []string, _ []*quintain.Group) (tiny.Step, error) {
	return tiny.Step{Batch: ids, Seconds: time.Since(f.start).Seconds()}, nil
}

func (f forgetter) Publish() error { return nil }

func (t *training) resume(r *Run) *checkpoint {
	t.Run = r
	if !t.trains {
		t.learner = forgetter{r.start}
		return nil
	}
	step := t.learner.Last()
	r.start = r.start.Add(-time.Duration(step.Seconds * float64(time.Second)))
	return &checkpoint{step.Version, step.Batch}
}

// consume takes batches from the queue, as a trainer would, until ctx ends or all steps
// are made. A batch cut short waits again.
func (t *training) consume(ctx context.Context, _ <-chan struct{}) error {
	if err := t.settle(ctx); err != nil {
		return unlessDone(ctx, err)
	}
	steps := t.config.Settings.Steps
	for done := 0; steps == 0 || done < steps; {
		batch, err := t.nextBatch(ctx)
		if err != nil {
			return err
		}
		if batch == nil || !pause.For(ctx, t.config.Settings.StepTime) {
			t.config.Queue.ReleaseAll(consumerName)
			return nil
		}
		made, err := t.step(context.WithoutCancel(ctx), batch)
		if err != nil {
			return err
		}
		if made {
			done++
		}
	}
	return nil
}

// nextBatch waits for a whole batch and leases it; nil if ctx ends before. It drops stale
// groups.
func (t *training) nextBatch(ctx context.Context) ([]queue.Delivery, error) {
	for {
		changed := t.config.Queue.Changed()
		if err := t.dropStale(ctx); err != nil {
			return nil, unlessDone(ctx, err)
		}
		batch, err := t.take(ctx, queue.Want{Pick: t.pick, Raw: !t.trains})
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

// pick chooses the groups of a batch, counted in episodes, or none. A learner takes only
// groups of its own policy: others may post to a hub over the queue. A group that became
// stale since dropStale waits for the next batch.
func (t *training) pick(waiting []queue.Entry) []queue.Entry {
	n, version, bound := t.config.Settings.BatchSize, t.trained(), t.config.Settings.Bound()
	return packing.Need{Least: n, Most: n}.Pick(waiting, func(e *queue.Entry) int {
		if e.Stale(version, bound) || t.trains && !e.HasTask {
			return 0
		}
		return int(e.Episodes)
	})
}

// step consumes a batch, and reports whether a step was made. The order survives a kill:
// the learner keeps its result, the ledger keeps the version and the IDs of the batch, the
// queue acknowledges the groups, and the policy gets the new weights.
func (t *training) step(ctx context.Context, batch []queue.Delivery) (made bool, err error) {
	before := t.trained()
	t.log.Debug("consuming", "version", before+1, "groups", ids(batch))
	batch, step, err := t.learn(ctx, batch)
	if err != nil || len(batch) == 0 {
		return false, err
	}
	step.Version, err = t.ledger.advance(ctx, batch, func() error {
		if err := t.config.Queue.Ack(ctx, consumerName, seqs(batch)...); err != nil {
			return fmt.Errorf("acknowledging a batch: %w", err)
		}
		return t.learner.Publish()
	})
	if err != nil {
		return false, err
	}
	return true, t.note(Stepped{step, lags(before, batch), t.trains, t.costs.sum(ids(batch)), t.Standings()})
}

// learn has the learner make its step on a batch, and returns the groups that it trained
// on. A group that it refuses is dropped, or it would come again forever.
func (t *training) learn(ctx context.Context, batch []queue.Delivery) ([]queue.Delivery, tiny.Step, error) {
	for len(batch) > 0 {
		groups := make([]*quintain.Group, len(batch))
		for i := range batch {
			groups[i] = batch[i].Group
		}
		step, err := t.learner.Step(ids(batch), groups)
		var refused *tiny.GroupError
		if !errors.As(err, &refused) {
			return batch, step, err
		}
		t.log.Warn("dropping a group that cannot be trained on", "error", err)
		if err := t.drop(ctx, rollout.DropRefused, batch[refused.Index]); err != nil {
			return nil, step, err
		}
		batch = slices.Delete(batch, refused.Index, refused.Index+1)
	}
	return nil, tiny.Step{}, nil
}

// lags returns by how many versions the oldest token of each group is behind. Groups of
// unknown version are left out.
func lags(version int, batch []queue.Delivery) []int {
	all := []int{}
	for i := range batch {
		if oldest := batch[i].Oldest; oldest >= 0 {
			all = append(all, version-int(oldest))
		}
	}
	return all
}
