package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// errAcked says that a batch was acknowledged before.
var errAcked = errors.New("acknowledged before")

// mine returns an open batch that the trainer has, or had last, or that no trainer had. b.mu
// is held.
func (b *batches) mine(number uint64, trainer string) (*batch, error) {
	for _, d := range b.open {
		if d.number != number {
			continue
		}
		switch {
		case d.claim.trainer == trainer, d.claim.trainer == "":
		case d.state == flying, d.state == handed, d.state == kept:
			return nil, web.Errorf(http.StatusConflict, "batch %d belongs to another trainer: its lease ran out, or it was returned", number)
		default:
			return nil, web.Errorf(http.StatusConflict, "batch %d waits to be handed out, and another trainer had it last", number)
		}
		return d, nil
	}
	if b.acked.has(number) {
		return nil, errAcked
	}
	return nil, goneError(number)
}

// goneError is the reply to a request for a batch that is not open.
func goneError(number uint64) error {
	return web.Errorf(http.StatusGone, "batch %d is not open: its groups went into other batches, or the run was reset", number)
}

// ack acknowledges one batch, or returns errAcked if it was before. The run's mutex is held.
func (b *batches) ack(ctx context.Context, number uint64, trainer string) error {
	b.lapse(time.Now())
	b.mu.Lock()
	d, err := b.mine(number, trainer)
	b.mu.Unlock()
	if err != nil {
		return err
	}
	return b.finish(ctx, []*batch{d})
}

// held is mine without errAcked.
func (b *batches) held(number uint64, trainer string) (*batch, error) {
	b.lapse(time.Now())
	b.mu.Lock()
	defer b.mu.Unlock()
	d, err := b.mine(number, trainer)
	if errors.Is(err, errAcked) {
		return nil, goneError(number)
	}
	return d, err
}

// nack returns one batch, to be handed out to the next trainer. The run's mutex is held.
func (b *batches) nack(ctx context.Context, number uint64, trainer string) error {
	d, err := b.held(number, trainer)
	if err != nil {
		return err
	}
	if err := b.own(ctx, owner{Trainer: trainer}, d); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if d.state != due {
		d.state = due
		d.changes++
		b.tally.count(func(n *counts) { n.nacked++ })
		b.events.Add("nacked", map[string]any{"batch": number, "trainer": trainer})
		b.moved.Wake()
	}
	return nil
}

// extend gives one batch a lease from now on. The run's mutex is held.
func (b *batches) extend(ctx context.Context, number uint64, by claim) (until time.Time, err error) {
	d, err := b.held(number, by.trainer)
	if err != nil {
		return until, err
	}
	if err := b.own(ctx, ownerOf(by), d); err != nil {
		return until, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if d.state != flying {
		d.state, d.by = handed, nil
	}
	d.claim.trainer, d.claim.lease = by.trainer, by.lease
	d.until = d.owner.Until
	return d.until, nil
}

// finish acknowledges batches. The run's mutex is held.
func (b *batches) finish(ctx context.Context, done []*batch) error {
	var seqs []uint64
	for _, d := range done {
		seqs = append(seqs, d.seqs...)
	}
	if err := b.acknowledge(ctx, seqs); err != nil {
		return fmt.Errorf("acknowledging: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range done {
		b.measure(d)
		b.plays += d.plays
		// Its records may stay for a while, because its groups are gone.
		b.open = slices.DeleteFunc(slices.Clone(b.open), func(other *batch) bool { return other == d })
		d.changes++ // so that land ignores a reply under way
		b.acked.put(d.number)
		b.past = d.forget(b.past)
		b.tally.count(func(n *counts) { n.acked++ })
		b.events.Add("acked", map[string]any{"batch": d.number, "trainer": d.claim.trainer})
	}
	b.went.Wake()
	return nil
}

// acknowledge acknowledges groups at the queue. If one was dropped or set aside meanwhile,
// it still does the others.
func (b *batches) acknowledge(ctx context.Context, seqs []uint64) error {
	err := b.queue.Ack(ctx, consumer, seqs...)
	if !errors.Is(err, queue.ErrNotLeased) {
		return err
	}
	for _, seq := range seqs {
		if err := b.queue.Ack(ctx, consumer, seq); err != nil && !errors.Is(err, queue.ErrNotLeased) {
			return err
		}
	}
	return nil
}
