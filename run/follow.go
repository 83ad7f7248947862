package run

import (
	"context"
	"sync"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
	"github.com/quintain-rl/quintain/tiny"
)

// A Remote is a trainer elsewhere that takes the batches of a run, such as from a hub over its queue. It
// counts steps and versions alike: version n are the weights after n steps. Many
// goroutines may use it.
type Remote interface {
	// Step counts the batches that were handed out: the steps before the one that takes
	// the next batch. Groups that are too old by then are dropped.
	Step() int

	// Acked counts the steps that the trainer has acknowledged, and the episodes that it
	// has trained on since the process began. They alone open the gate: a batch that was
	// handed out may still come back.
	Acked() (steps, episodes int)

	// Version is the version of the weights that the policy's server samples with, as
	// somebody told; -1 if nobody has.
	Version() int

	// Lowest is the lowest version on the servers that sample, by which staleness is bounded;
	// Version if none is known.
	Lowest() int

	// Staleness counts the groups that were acknowledged since the process began, by how
	// many steps their oldest token was behind, without groups of unknown version.
	Staleness() map[int]int

	// Progress returns a channel that closes when any of this may have changed.
	Progress() <-chan struct{}

	// BatchSize is the size of a batch and its unit; below 1: unknown.
	BatchSize() (int, packing.Unit)
}

// Follow returns a consumer that leaves the batches to t. The run only watches: the steps of
// t open the gate.
func Follow(t Remote) Consumer { return &following{trainer: t} }

// following watches a trainer take the batches.
type following struct {
	gated
	trainer  Remote
	first    int         // steps of the trainer when this process began
	episodes int         // that it was known to have trained on
	lags     map[int]int // its staleness then
	batch    estimate    // of its batches, in episodes

	mu   sync.Mutex // guards the rest
	cost Cost       // of the groups that were acknowledged since the last step
}

func (f *following) resume(r *Run) *checkpoint {
	f.Run = r
	return nil
}

func (f *following) begin() {
	f.first, f.episodes = f.trainer.Acked()
	f.lags = f.trainer.Staleness()
	f.config.Queue.OnAcked(f.acked)
	f.open(f.first, f.episodes)
}

func (f *following) version() int { return f.trainer.Version() }
func (f *following) trained() int { return f.trainer.Step() }

// consume follows the trainer until ctx ends or all steps are made.
func (f *following) consume(ctx context.Context, _ <-chan struct{}) error {
	want := f.config.Settings.Steps
	for last := f.first; ; {
		progress, changed := f.trainer.Progress(), f.config.Queue.Changed()
		steps, episodes := f.trainer.Acked()
		f.open(steps, episodes)
		for ; last < steps; last++ {
			if err := f.note(Stepped{Step: tiny.Step{Version: last + 1}, Lags: f.newLags(), Cost: f.newCost(), Standings: f.Standings()}); err != nil {
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
		case <-changed:
		}
	}
}

// open opens the gate for the episodes that the trainer has trained on, by the size of its
// batches. Until somebody tells a version of the policy's weights, they count as those of
// the last step.
func (f *following) open(steps, episodes int) {
	behind := 0
	if version := f.trainer.Lowest(); version >= 0 {
		behind = max(0, steps-version)
	}
	f.batch.trained(steps, episodes)
	f.ledger.follow(steps)
	f.ledger.gate.Resize(f.batchEpisodes())
	f.ledger.gate.Trained(episodes-f.episodes, behind)
	f.episodes = episodes
}

// batchEpisodes is about how many episodes a batch of the trainer has: no more than it is
// likely to have, because groups that wait for too many batches become stale.
func (f *following) batchEpisodes() int {
	s := f.config.Settings
	size, unit := f.trainer.BatchSize()
	if size < 1 {
		size, unit = s.BatchSize, packing.Sequences
	}
	switch unit {
	case packing.Episodes:
		return size
	case packing.Groups:
		return size * s.GroupSize
	}
	held := f.config.Queue.Stats()
	n := f.batch.of(size, held.Waiting.Episodes+held.Leased.Episodes, held.Waiting.Sequences+held.Leased.Sequences)
	if pending := f.ledger.gate.Pending(); held.Leased.Groups == 0 && held.Waiting.Sequences < size && pending <= held.Waiting.Episodes {
		n = max(n, pending+s.GroupSize) // all that may start has ended, and makes no batch
	}
	return max(1, n/s.GroupSize) * s.GroupSize
}

// acked counts groups that the trainer has acknowledged.
func (f *following) acked(groups []queue.Entry) {
	all := make([]string, len(groups))
	for i := range groups {
		all[i] = groups[i].ID
	}
	cost := f.costs.sum(all)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cost = f.cost.plus(cost)
}

// newCost is the cost of the groups that were acknowledged since its last call.
func (f *following) newCost() (cost Cost) {
	f.mu.Lock()
	defer f.mu.Unlock()
	cost, f.cost = f.cost, Cost{}
	return cost
}

// newLags lists the lags of the groups that were acknowledged since its last call.
func (f *following) newLags() (list []int) {
	now := f.trainer.Staleness()
	for lag, n := range now {
		for range n - f.lags[lag] {
			list = append(list, lag)
		}
	}
	f.lags = now
	return list
}
