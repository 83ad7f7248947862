package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// A delivery is a batch that is formed and not acknowledged. Its groups are leased
// from the queue all the time, so that they cannot come into another batch.
//
//	due ──asked for──▶ flying ──reply written──▶ handed ──asked for the next, or acknowledged──▶ gone
//	 ▲                   │                          │ time of its lease
//	 │                   │                       lapsed ──its trainer asks for the next──▶ gone
//	 │                   │                          │
//	 └── reply torn, trainer registers, given back, another trainer asks
type delivery struct {
	number uint64   // 1 or above; never used again
	seqs   []uint64 // of its groups, in the order in which they are handed out
	tokens int      // of its groups
	out    bool     // it was handed out before, if only by an earlier server
	formed time.Time

	// What follows is guarded by the server's mu.
	state   deliveryState
	attempt int       // counts the replies
	by      *exchange // the last reply; nil: not known
	claim   claim     // of the trainer that has it, or had it last
	until   time.Time // when its lease ends, where it is handed
}

type deliveryState int

const (
	due deliveryState = iota
	flying
	handed
	lapsed
)

// add notes the groups that d is made of.
func (d *delivery) add(groups []queue.Delivery) {
	for i := range groups {
		d.tokens += groups[i].Tokens
	}
}

// A claim is a trainer's wish for a batch.
type claim struct {
	trainer string
	lease   time.Duration
	next    bool // it is done with those that it has
}

// mainTrainer is the name of a trainer that does not say its name.
const mainTrainer = "trainer"

// errNoBatch says that no batch can be formed of what waits.
var errNoBatch = errors.New("no batch")

// A parcel is a batch with the groups in it, on its way out.
type parcel struct {
	*delivery
	attempt int
	groups  []queue.Delivery // with the group, or else with its binary form
	step    int
}

// nextBatch acknowledges what the trainer has, where its claim says so, and returns the
// next batch: one that is due again, or else a new one.
func (s *Server) nextBatch(ctx context.Context, c claim) (parcel, error) {
	s.trade.Lock()
	defer s.trade.Unlock()
	if err := s.settle(ctx, c); err != nil {
		return parcel{}, err
	}
	for {
		d := s.nextDue()
		if d == nil {
			return s.form(ctx, c)
		}
		groups, err := s.fetch(ctx, d)
		if err == nil {
			return s.launch(d, groups, c), nil
		}
		if !isCorrupt(err) && !errors.Is(err, queue.ErrUnknown) {
			return parcel{}, err
		}
		if err := s.dissolve(ctx, d); err != nil {
			return parcel{}, err
		}
	}
}

// settle acknowledges the batches that the trainer is done with, and makes those due
// whose reply did not reach their trainer. s.trade is held.
func (s *Server) settle(ctx context.Context, c claim) error {
	var done []*delivery
	s.mu.Lock()
	for _, d := range s.open {
		if d.state == handed && d.by.torn() {
			d.state = due
			s.counts.torn++
		}
		if c.next && d.claim.trainer == c.trainer && (d.state == handed || d.state == lapsed) {
			done = append(done, d)
		}
	}
	s.mu.Unlock()
	s.lapse(time.Now())
	if len(done) == 0 {
		return nil
	}
	return s.finish(ctx, done)
}

// lapse notes which leases have run out.
func (s *Server) lapse(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.open {
		if d.state == handed && now.After(d.until) {
			d.state = lapsed
			s.counts.expired++
			s.events.tell("lease_expired", map[string]any{"batch": d.number, "trainer": d.claim.trainer})
		}
	}
}

// finish acknowledges batches. s.trade is held.
func (s *Server) finish(ctx context.Context, done []*delivery) error {
	var seqs []uint64
	for _, d := range done {
		seqs = append(seqs, d.seqs...)
	}
	if err := s.acknowledge(ctx, seqs); err != nil {
		return fmt.Errorf("acknowledging: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range done {
		d.attempt++ // where its reply is still under way, nothing comes of it
		s.acked.put(d.number)
		s.counts.acked++
		s.events.tell("acked", map[string]any{"batch": d.number, "trainer": d.claim.trainer})
	}
	// Their record may stay as it is: the groups are gone.
	s.open = slices.DeleteFunc(slices.Clone(s.open), func(d *delivery) bool { return slices.Contains(done, d) })
	return nil
}

// acknowledge has the queue forget groups that the trainer is done with. Where one of
// them has gone meanwhile, having been dropped or set aside, the others still go.
func (s *Server) acknowledge(ctx context.Context, seqs []uint64) error {
	err := s.queue.Ack(ctx, consumer, seqs...)
	if !errors.Is(err, queue.ErrNotLeased) {
		return err
	}
	for _, seq := range seqs {
		if err := s.queue.Ack(ctx, consumer, seq); err != nil && !errors.Is(err, queue.ErrNotLeased) {
			return err
		}
	}
	return nil
}

// nextDue returns the batch that is to be handed out before any other is formed: the
// oldest, or the newest where that is the original's way. It is nil where there is none.
func (s *Server) nextDue() *delivery {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var found *delivery
	for _, d := range s.open {
		if d.state == due || d.state == lapsed {
			found = d
			if !s.config.Strict {
				break
			}
		}
	}
	return found
}

// fetch reads the groups of a batch anew.
func (s *Server) fetch(ctx context.Context, d *delivery) ([]queue.Delivery, error) {
	groups := make([]queue.Delivery, len(d.seqs))
	for i, seq := range d.seqs {
		var err error
		if groups[i], err = s.queue.Read(ctx, seq); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

// dissolve makes the groups of a batch wait for another. s.trade is held.
func (s *Server) dissolve(ctx context.Context, d *delivery) error {
	open := slices.DeleteFunc(slices.Clone(s.open), func(other *delivery) bool { return other == d })
	if err := s.saveBatches(ctx, s.step, open); err != nil {
		return err
	}
	s.queue.Release(consumer, d.seqs...)
	return nil
}

// form makes a batch of what waits, and counts the step. s.trade is held.
func (s *Server) form(ctx context.Context, c claim) (parcel, error) {
	if s.config.Strict {
		return s.formBurst(ctx, c)
	}
	d, groups, err := s.choose(ctx)
	if err != nil {
		return parcel{}, err
	}
	if err := s.saveBatches(ctx, s.step+1, append(slices.Clone(s.open), d)); err != nil {
		s.queue.Release(consumer, d.seqs...)
		return parcel{}, err
	}
	return s.launch(d, groups, c), nil
}

// maxBurst is how many groups at most are formed into batches at once.
const maxBurst = 1000

// formBurst makes all batches that can be made of what waits, as the original does,
// counts them all, and hands out the last. s.trade is held.
func (s *Server) formBurst(ctx context.Context, c claim) (parcel, error) {
	open := slices.Clone(s.open)
	formed := 0
	var seqs []uint64
	for len(seqs) < maxBurst {
		d, _, err := s.choose(ctx)
		if errors.Is(err, errNoBatch) {
			break
		}
		if err != nil {
			s.queue.Release(consumer, seqs...)
			return parcel{}, err
		}
		formed++
		seqs = append(seqs, d.seqs...)
		open = append(open, d)
	}
	if formed == 0 {
		return parcel{}, errNoBatch
	}
	if err := s.saveBatches(ctx, s.step+formed, open); err != nil {
		s.queue.Release(consumer, seqs...)
		return parcel{}, err
	}
	d := open[len(open)-1]
	groups, err := s.fetch(ctx, d)
	if err != nil {
		return parcel{}, err
	}
	return s.launch(d, groups, c), nil
}

// choose leases the groups of the next batch. A group that cannot be read is set aside
// by the queue, and others are chosen.
func (s *Server) choose(ctx context.Context) (*delivery, []queue.Delivery, error) {
	want := queue.Want{Consumer: consumer, Raw: true, Pick: func(waiting []queue.Entry) []queue.Entry {
		now := time.Now()
		s.mu.RLock()
		defer s.mu.RUnlock()
		return pick(candidates{waiting, s.withheld(now)}, s.need(now))
	}}
	for {
		groups, err := s.queue.Lease(ctx, want)
		if isCorrupt(err) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if len(groups) == 0 {
			s.reportUnpackable()
			return nil, nil, errNoBatch
		}
		d := &delivery{seqs: make([]uint64, len(groups)), formed: time.Now()}
		for i, g := range groups {
			d.seqs[i] = g.Seq
		}
		d.add(groups)
		return d, groups, s.unhold(ctx, groups)
	}
}

// launch makes d fly.
func (s *Server) launch(d *delivery, groups []queue.Delivery, c claim) parcel {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.state = flying
	d.claim = c
	d.attempt++
	if d.out {
		s.counts.again++
	} else {
		s.counts.batches++
	}
	d.out = true
	s.counts.groupsOut += uint64(len(groups))
	s.counts.tokensOut += uint64(d.tokens)
	s.events.tell("batch", map[string]any{
		"batch": d.number, "trainer": c.trainer, "step": s.step, "groups": len(groups), "tokens": d.tokens, "attempt": d.attempt,
	})
	return parcel{d, d.attempt, groups, s.step}
}

// land says what became of the reply that p was written to. It may be said that it
// arrived before its last byte goes, and then that it did not.
func (s *Server) land(p parcel, by *exchange, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.delivery.attempt != p.attempt || p.state != flying && p.state != handed: // it was taken back meanwhile
	case err != nil:
		p.state = due
		s.counts.torn++
		s.wake()
	case p.state == flying:
		p.state, p.by, p.until = handed, by, time.Now().Add(p.claim.lease)
	}
}

// takeBack makes all batches due that the trainer has or may have; "" is any trainer.
// s.mu is held.
func (s *Server) takeBack(trainer string) {
	for _, d := range s.open {
		if trainer == "" || d.claim.trainer == trainer || d.claim.trainer == "" {
			d.state = due
			d.attempt++
		}
	}
	s.wake()
}

// wake wakes those who wait for a batch. s.mu is held.
func (s *Server) wake() {
	if s.moved != nil {
		close(s.moved)
		s.moved = nil
	}
}

// movement returns a channel that is closed when a batch may have become possible for
// another reason than that groups came.
func (s *Server) movement() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved == nil {
		s.moved = make(chan struct{})
	}
	return s.moved
}

func isCorrupt(err error) bool {
	var c *queue.CorruptError
	return errors.As(err, &c)
}
