package run

import (
	"context"
	"errors"
	"slices"

	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
)

// An Outlet takes the groups of a run elsewhere, as they come: to a hub of somebody else,
// or into a file. It says how many may be under way. Many goroutines may use it at once,
// but one calls Send at a time.
type Outlet interface {
	// Enter waits until another group may start. If ctx ends first, it returns its cause.
	Enter(ctx context.Context) error

	// Ended says that a group that entered was played, and is kept to be sent, or is not.
	Ended(kept bool)

	// Send sends groups, which it gets in their binary form, and waits as long as that is
	// not possible. It returns what became of the first of them, in their order: nothing,
	// if it was taken, or why it must be dropped. The others were not sent. Once ctx has
	// ended, it tries once. Mark is called before groups are sent that must not be sent
	// again, even if this process is killed, and with none if they were not taken; its
	// error ends Send.
	Send(ctx context.Context, groups []queue.Delivery, mark func([]queue.Delivery) error) ([]rollout.Drop, error)

	// Step is the step of the trainer that gets the groups, as far as it is known.
	Step() int

	// Over is closed when no more groups are wanted.
	Over() <-chan struct{}
}

// Limits of what is sent at once.
const (
	mostSent  = 8       // groups
	mostBytes = 1 << 20 // of their binary form, unless one is larger
)

// deliver hands the groups that wait to the outlet until it wants no more. Once ctx and
// the playing have ended, it sends what is left, or leaves it to the next process.
func (r *Run) deliver(ctx context.Context, played <-chan struct{}) error {
	keep := context.WithoutCancel(ctx) // what was sent is noted in any case
	if err := r.settle(keep); err != nil {
		return err
	}
	for !closed(r.config.Outlet.Over()) {
		changed, last := r.config.Queue.Changed(), closed(played)
		batch, err := r.config.Queue.Lease(keep, queue.Want{Consumer: consumerName, Pick: some, Raw: true})
		sent := 0
		if err == nil && len(batch) > 0 {
			sent, err = r.send(ctx, batch)
			r.config.Queue.ReleaseAll(consumerName)
		}
		switch {
		case err != nil || sent == 0 && last:
			return err
		case sent > 0:
			continue
		case len(batch) > 0: // ctx has ended; what is left is tried once more at the end
			changed = nil
		}
		select {
		case <-changed:
		case <-played:
		case <-r.config.Outlet.Over():
		}
	}
	return nil
}

// some picks the oldest groups that are sent at once.
func some(waiting []queue.Entry) []queue.Entry {
	bytes := 0
	for i := range waiting {
		bytes += int(waiting[i].Bytes)
		if i > 0 && bytes > mostBytes || i == mostSent {
			return slices.Clone(waiting[:i])
		}
	}
	return slices.Clone(waiting)
}

// send sends groups that are leased, and returns how many of them are no longer to be sent.
// They are forgotten only then.
func (r *Run) send(ctx context.Context, batch []queue.Delivery) (done int, err error) {
	keep := context.WithoutCancel(ctx)
	fates, err := r.config.Outlet.Send(ctx, batch, func(now []queue.Delivery) error { return r.ledger.sending(keep, now) })
	if err != nil {
		if n := r.unreadable(keep, batch); n > 0 {
			return n, nil
		}
		return 0, err
	}
	if len(fates) == 0 {
		return 0, nil
	}
	var taken []queue.Delivery
	for i, why := range fates {
		if why == "" {
			taken = append(taken, batch[i])
		} else if err := r.drop(keep, why, batch[i]); err != nil {
			return i, err
		}
	}
	if err := r.config.Queue.Ack(keep, consumerName, seqs(taken)...); err != nil {
		return 0, err
	}
	return len(fates), r.note(Sent{ids(taken), r.config.Outlet.Step(), r.Standings()})
}

// unreadable counts the groups that nobody can read, though their checksums are right. The
// queue sets them aside, so the next ones can be sent.
func (r *Run) unreadable(ctx context.Context, batch []queue.Delivery) (n int) {
	for _, d := range batch {
		_, err := r.config.Queue.Read(ctx, d.Seq)
		if _, corrupt := errors.AsType[*queue.CorruptError](err); corrupt {
			n++
		}
	}
	return n
}

// sending keeps the IDs of groups that are about to be sent, which the next process takes
// for sent.
func (l *ledger) sending(ctx context.Context, batch []queue.Delivery) error {
	l.mu.Lock()
	l.record.Batch = ids(batch)
	l.mu.Unlock()
	return l.save(ctx)
}

// closed reports whether a channel that nothing is sent to is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
