package run

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/rollout"
)

// consumerName is the name under which the run leases groups.
const consumerName = "builtin"

// settle acknowledges the groups that an earlier process consumed just before it ended.
func (r *Run) settle(ctx context.Context) error {
	consumed := r.ledger.consumed()
	left, err := r.lease(ctx, func(e *queue.Entry) bool { return slices.Contains(consumed, e.ID) })
	if err != nil || len(left) == 0 {
		return err
	}
	r.log.Info("these groups were consumed before the last process ended", "groups", ids(left))
	if err := r.config.Queue.Ack(ctx, consumerName, seqs(left)...); err != nil {
		return err
	}
	r.leaves(left)
	return nil
}

// leaves has the gate no longer count groups that went without a step.
func (r *Run) leaves(groups []queue.Delivery) {
	for i := range groups {
		r.ledger.gate.Leave(int(groups[i].Episodes))
	}
}

// take leases groups for the run. One that cannot be read is set aside: the gate stops counting it, and
// the others are taken without it.
func (r *Run) take(ctx context.Context, w queue.Want) ([]queue.Delivery, error) {
	w.Consumer = consumerName
	for {
		aside := r.config.Queue.Stats().Aside.Episodes
		batch, err := r.config.Queue.Lease(ctx, w)
		if _, corrupt := errors.AsType[*queue.CorruptError](err); !corrupt {
			return batch, err
		}
		r.ledger.gate.Leave(r.config.Queue.Stats().Aside.Episodes - aside)
	}
}

// lease leases all waiting groups that want picks, without reading them.
func (r *Run) lease(ctx context.Context, want func(*queue.Entry) bool) ([]queue.Delivery, error) {
	return r.take(ctx, queue.Want{Raw: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		var picked []queue.Entry
		for i := range waiting {
			if want(&waiting[i]) {
				picked = append(picked, waiting[i])
			}
		}
		return picked
	}})
}

// unlessDone returns err, or nil if it only says that ctx has ended.
func unlessDone(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		return nil
	}
	return err
}

// dropStale drops the groups beyond the staleness bound. It leases them first, so that no
// other consumer gets them meanwhile.
func (r *Run) dropStale(ctx context.Context) error {
	version := r.consumer.trained()
	stale, err := r.lease(ctx, func(e *queue.Entry) bool { return e.Stale(version, r.config.Settings.Bound()) })
	if err != nil || len(stale) == 0 {
		return err
	}
	return r.drop(ctx, r.config.Settings.Stale.reason(), stale...)
}

// drop drops leased groups.
func (r *Run) drop(ctx context.Context, why rollout.Drop, groups ...queue.Delivery) error {
	r.log.Debug("dropping groups", "why", why, "step", r.consumer.trained(), "groups", ids(groups))
	if _, err := r.config.Queue.Drop(ctx, seqs(groups)...); err != nil {
		return fmt.Errorf("dropping groups: %w", err)
	}
	r.leaves(groups)
	gone := ids(groups)
	return r.note(Dropped{why, gone, r.costs.sum(gone)})
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
