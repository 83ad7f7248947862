package run

import (
	"context"
	"errors"
	"slices"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A Sender sends the groups of a run elsewhere, one by one: to somebody else's hub, or into
// a file. It limits the groups under way. Many goroutines may use it at once, but one calls
// Send at a time.
type Sender interface {
	// Enter waits until another group may start. If ctx ends first, it returns its cause.
	Enter(ctx context.Context) error

	// Ended says that a group that entered was played, and whether it is kept to be sent.
	Ended(kept bool)

	// Send sends groups, given in their binary form, and waits while that is impossible.
	// It returns the fate of the first of them, in their order: empty if the group was
	// taken, or the reason to drop it. The others were not sent. Once ctx has ended, it
	// tries once. Send calls mark before it sends groups that must not be sent again, even
	// if this process is killed, and calls it with none if they were not taken; an error of
	// mark ends Send.
	Send(ctx context.Context, groups []queue.Delivery, mark func([]queue.Delivery) error) ([]rollout.Drop, error)

	// Step is the step of the trainer that gets the groups, as far as it is known.
	Step() int

	// Over is closed when no more groups are wanted.
	Over() <-chan struct{}
}

// Send returns a consumer that hands each group to a sender. The sender replaces the gate,
// and the run ends when the sender wants no more.
func Send(to Sender) Consumer { return &sending{to: to} }

// sending has a Sender take the groups.
type sending struct {
	*Run
	to Sender
}

func (s *sending) resume(r *Run) *checkpoint {
	s.Run = r
	return nil
}

func (s *sending) begin()                          {}
func (s *sending) version() int                    { return -1 }
func (s *sending) trained() int                    { return s.ledger.version() }
func (s *sending) enter(ctx context.Context) error { return s.to.Enter(ctx) }
func (s *sending) ended(kept int)                  { s.to.Ended(kept > 0) }

// Limits of one call of Send.
const (
	mostSent  = 8       // groups
	mostBytes = 1 << 20 // of their binary form, unless one is larger
)

// consume hands the waiting groups to the sender until it wants no more. Once ctx and
// the playing have ended, it sends the rest, or leaves it to the next process.
func (s *sending) consume(ctx context.Context, played <-chan struct{}) error {
	keep := context.WithoutCancel(ctx) // note a sent group in any case
	if err := s.settle(keep); err != nil {
		return err
	}
	for !pause.Closed(s.to.Over()) {
		changed, last := s.config.Queue.Changed(), pause.Closed(played)
		found, sent, err := s.sendSome(ctx, keep)
		if err != nil || sent == 0 && last {
			return err
		}
		if sent > 0 {
			continue
		}
		if found { // ctx has ended; the rest is tried once more at the end
			changed = nil
		}
		select {
		case <-changed:
		case <-played:
		case <-s.to.Over():
		}
	}
	return nil
}

// sendSome sends the oldest groups. It reports whether there were any, and how many need
// not be sent again.
func (s *sending) sendSome(ctx, keep context.Context) (found bool, sent int, err error) {
	batch, err := s.take(keep, queue.Want{Pick: some, Raw: true})
	if err != nil || len(batch) == 0 {
		return false, 0, err
	}
	defer s.config.Queue.ReleaseAll(consumerName)
	sent, err = s.send(ctx, batch)
	return true, sent, err
}

// some picks the oldest groups, as many as one call of Send gets.
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

// send sends leased groups, and returns how many need not be sent again. Only those leave
// the queue.
func (s *sending) send(ctx context.Context, batch []queue.Delivery) (done int, err error) {
	keep := context.WithoutCancel(ctx)
	fates, err := s.to.Send(ctx, batch, func(now []queue.Delivery) error { return s.ledger.sending(keep, now) })
	if err != nil {
		if n := s.unreadable(keep, batch); n > 0 {
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
		} else if err := s.drop(keep, why, batch[i]); err != nil {
			return i, err
		}
	}
	if err := s.config.Queue.Ack(keep, consumerName, seqs(taken)...); err != nil {
		return 0, err
	}
	return len(fates), s.note(Sent{ids(taken), s.to.Step(), s.Standings()})
}

// unreadable counts the groups that nobody can read, though their checksums are right. The
// queue sets them aside, so the next ones can be sent.
func (s *sending) unreadable(ctx context.Context, batch []queue.Delivery) (n int) {
	for _, d := range batch {
		_, err := s.config.Queue.Read(ctx, d.Seq)
		if _, corrupt := errors.AsType[*queue.CorruptError](err); corrupt {
			n++
		}
	}
	return n
}

// sending keeps the IDs of groups before they are sent. The next process takes them for
// sent.
func (l *ledger) sending(ctx context.Context, batch []queue.Delivery) error {
	l.mu.Lock()
	l.record.Batch = ids(batch)
	l.mu.Unlock()
	return l.save(ctx)
}
