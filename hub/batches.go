package hub

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// consumer is the name under which a hub leases groups from the queue, for any trainer.
const consumer = "trainer"

// batches are a run's formed, unacknowledged batches, and the step, which counts all that
// were handed out.
type batches struct {
	queue  *queue.Queue
	events *web.EventLog
	tally  *tally

	// mu guards the rest. Under it, only events and tally are called. Step, open and next
	// change only under the run's mutex as well, so its holders may read them without mu.
	mu    sync.RWMutex
	step  int
	went  pause.Signal  // step, open or the version changed
	open  []*batch      // oldest first; replaced, never changed
	plays int           // acknowledged episodes
	lags  map[int]int   // acknowledged groups, by the staleness of their oldest token in steps
	next  uint64        // number of the last formed batch
	acked ring          // numbers of the last acknowledged batches
	past  []queue.State // records of gone batches, to delete with the next change
	moved pause.Signal  // a batch may have become possible without new groups
}

// trained sets the step of a training in this process.
func (b *batches) trained(step int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.step = step
	b.went.Wake()
}

func (b *batches) current() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.step
}

// done is the step without the open batches, and the number of acknowledged episodes.
func (b *batches) done() (steps, episodes int) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.step - len(b.open), b.plays
}

// staleness returns a copy of b.lags.
func (b *batches) staleness() map[int]int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return maps.Clone(b.lags)
}

// mostLag is the highest staleness with a count of its own, so that strange versions take no
// memory.
const mostLag = 1000

// measure counts the staleness of a batch's groups: its trainer had made as many steps as
// batches were acknowledged. b.mu is held.
func (b *batches) measure(d *batch) {
	for _, oldest := range d.oldest {
		if oldest >= 0 {
			lag := b.step - len(b.open) - int(oldest)
			b.lags[max(-mostLag, min(lag, mostLag))]++
		}
	}
}

// settle acknowledges the batches that the trainer is done with, and makes those due whose
// reply did not arrive. The run's mutex is held.
func (b *batches) settle(ctx context.Context, c claim) error {
	var done []*batch
	b.mu.Lock()
	for _, d := range b.open {
		if d.state == handed && d.by.Torn() {
			d.state = due
			b.tally.count(func(n *counts) { n.torn++ })
		}
		if c.next && d.claim.trainer == c.trainer && (d.state == handed || d.state == lapsed) {
			done = append(done, d)
		}
	}
	b.mu.Unlock()
	b.lapse(time.Now())
	if len(done) == 0 {
		return nil
	}
	return b.finish(ctx, done)
}

// lapse notes expired leases. A batch of an earlier server is then due again, because it may
// not have reached its trainer.
func (b *batches) lapse(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.open {
		if (d.state == handed || d.state == kept) && now.After(d.until) {
			d.state = map[batchState]batchState{handed: lapsed, kept: due}[d.state]
			b.tally.count(func(n *counts) { n.expired++ })
			b.events.Add("lease_expired", map[string]any{"batch": d.number, "trainer": d.claim.trainer})
		}
	}
}

// nextDue returns the batch to hand out to a trainer before a new one is formed: the oldest;
// nil if there is none.
func (b *batches) nextDue(trainer string) *batch {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, d := range b.open {
		if d.state == due || d.state == lapsed || d.state == kept && d.claim.trainer == trainer {
			return d
		}
	}
	return nil
}

// A reply reads groups in portions of about maxPortion stored bytes, and at most portionGroups
// groups.
const (
	maxPortion    = 8 << 20
	portionGroups = 4096
)

// fetch reads the first portion of a batch, or of its rest.
func (b *batches) fetch(ctx context.Context, seqs []uint64) ([]queue.Delivery, error) {
	return b.queue.ReadRaw(ctx, seqs[:min(len(seqs), portionGroups)], maxPortion)
}

// dissolve lets the groups of a batch wait for another. The run's mutex is held.
func (b *batches) dissolve(ctx context.Context, d *batch) error {
	open := slices.DeleteFunc(slices.Clone(b.open), func(other *batch) bool { return other == d })
	if err := b.save(ctx, b.step, open); err != nil {
		return err
	}
	b.queue.Release(consumer, d.seqs...)
	return nil
}

// reserve keeps d from other trainers while its first groups are read. The function that it
// returns ends that: it reports whether d was left alone, and given an error makes it as it
// was before. The run's mutex is held for both.
func (b *batches) reserve(d *batch) (release func(err error) bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	state, changes := d.state, d.changes
	d.state = flying
	return func(err error) bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		if d.state != flying || d.changes != changes || !slices.Contains(b.open, d) {
			return false
		}
		if err != nil {
			d.state = state
		}
		return true
	}
}

// launch begins a reply with d, given its first groups.
func (b *batches) launch(d *batch, first []queue.Delivery, c claim) parcel {
	b.mu.Lock()
	defer b.mu.Unlock()
	d.state = flying
	d.claim = c
	d.attempt++
	d.changes++
	again := d.out
	d.out = true
	b.tally.count(func(n *counts) {
		if again {
			n.again++
		} else {
			n.batches++
		}
		n.groupsOut += uint64(len(d.seqs))
		n.tokensOut += uint64(d.tokens)
	})
	b.events.Add("batch", map[string]any{
		"batch": d.number, "trainer": c.trainer, "step": b.step, "groups": len(d.seqs), "tokens": d.tokens, "attempt": d.attempt,
	})
	return parcel{batch: d, attempt: d.attempt, changes: d.changes, first: first, step: b.step}
}

// land records the outcome of the reply with p. It may be called before the last byte is
// written, as if the reply had arrived, and again if it did not.
func (b *batches) land(p parcel, by *web.Exchange, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case p.batch.changes != p.changes || p.state != flying && p.state != handed: // taken back meanwhile
	case err != nil:
		p.state = due
		b.tally.count(func(n *counts) { n.torn++ })
		b.moved.Wake()
	case p.state == flying:
		p.state, p.by, p.until = handed, by, time.Now().Add(p.claim.lease)
	}
}

// takeBack makes all batches due that the trainer has or may have; "" is any trainer.
func (b *batches) takeBack(trainer string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.open {
		if trainer == "" || d.claim.trainer == trainer || d.claim.trainer == "" {
			d.state = due
			d.changes++
		}
	}
	b.moved.Wake()
}

// nextLapse is the earliest end of a lease before end, or end.
func (b *batches) nextLapse(end time.Time) time.Time {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, d := range b.open {
		if (d.state == handed || d.state == kept) && d.until.Before(end) {
			end = d.until
		}
	}
	return end
}

// count is the number of open batches.
func (b *batches) count() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.open)
}

// An OpenBatch is a formed, unacknowledged batch.
type OpenBatch struct {
	Number  uint64     `json:"batch"`
	State   string     `json:"state"` // due, flying, handed, kept or lapsed
	Trainer string     `json:"trainer"`
	Groups  int        `json:"groups"`
	Attempt int        `json:"attempt"`
	Until   *time.Time `json:"until,omitempty"` // end of its lease; nil: none
}

// list returns the open batches, oldest first.
func (b *batches) list() []OpenBatch {
	b.mu.RLock()
	defer b.mu.RUnlock()
	list := make([]OpenBatch, len(b.open))
	for i, d := range b.open {
		list[i] = OpenBatch{Number: d.number, State: d.state.String(), Trainer: d.claim.trainer, Groups: len(d.seqs), Attempt: d.attempt}
		if until := d.until; d.state == handed || d.state == kept {
			list[i].Until = &until
		}
	}
	return list
}

// after returns the groups above seq in open batches, each with the time when its batch was
// formed.
func (b *batches) after(seq uint64) map[uint64]time.Time {
	b.mu.RLock()
	defer b.mu.RUnlock()
	found := make(map[uint64]time.Time)
	for _, d := range b.open {
		for _, s := range d.seqs {
			if s > seq {
				found[s] = d.formed
			}
		}
	}
	return found
}
