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
// to the trainer all the time, so that they cannot come into another batch.
//
//	due ──/batch──▶ flying ──reply written──▶ handed ──next /batch──▶ acknowledged
//	 ▲                │                          │
//	 └──reply torn────┴──trainer registers───────┘
type delivery struct {
	seqs []uint64 // of its groups, in the order in which they are handed out

	// What follows is guarded by the server's mu.
	state   deliveryState
	attempt int       // counts the replies
	by      *exchange // the last reply; nil: not known
}

type deliveryState int

const (
	due deliveryState = iota
	flying
	handed
)

// errNoBatch says that no batch can be formed of what waits.
var errNoBatch = errors.New("no batch")

// A parcel is a batch with the groups in it, on its way out.
type parcel struct {
	*delivery
	attempt int
	groups  []queue.Delivery
}

// nextBatch acknowledges what the trainer has, and returns the next batch: one that
// is due again, or else a new one.
func (s *Server) nextBatch(ctx context.Context) (parcel, error) {
	s.trade.Lock()
	defer s.trade.Unlock()
	if err := s.settle(ctx); err != nil {
		return parcel{}, err
	}
	for {
		d := s.nextDue()
		if d == nil {
			return s.form(ctx)
		}
		groups, err := s.fetch(ctx, d)
		if err == nil {
			s.mu.Lock()
			s.counts.again++
			s.mu.Unlock()
			return s.launch(d, groups), nil
		}
		if !isCorrupt(err) && !errors.Is(err, queue.ErrUnknown) {
			return parcel{}, err
		}
		if err := s.dissolve(ctx, d); err != nil {
			return parcel{}, err
		}
	}
}

// settle acknowledges the batches whose reply reached the trainer, and makes those
// due whose reply did not. s.trade is held.
func (s *Server) settle(ctx context.Context) error {
	var done, rest []*delivery
	var seqs []uint64
	s.mu.Lock()
	for _, d := range s.open {
		if d.state == handed && d.by.torn() {
			d.state = due
			s.counts.torn++
		}
		if d.state == handed {
			done = append(done, d)
			seqs = append(seqs, d.seqs...)
		} else {
			rest = append(rest, d)
		}
	}
	s.mu.Unlock()
	if len(done) == 0 {
		return nil
	}
	if err := s.acknowledge(ctx, seqs); err != nil {
		return fmt.Errorf("acknowledging the last batch: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = rest // its record may stay as it is: the groups are gone
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

func (s *Server) nextDue() *delivery {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, d := range s.open {
		if d.state == due {
			return d
		}
	}
	return nil
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
func (s *Server) form(ctx context.Context) (parcel, error) {
	groups, err := s.choose(ctx)
	if err != nil {
		return parcel{}, err
	}
	if len(groups) == 0 {
		s.reportUnpackable()
		return parcel{}, errNoBatch
	}
	d := &delivery{seqs: make([]uint64, len(groups))}
	for i, g := range groups {
		d.seqs[i] = g.Seq
	}
	if err := s.saveBatches(ctx, s.step+1, append(slices.Clone(s.open), d)); err != nil {
		s.queue.Release(consumer, d.seqs...)
		return parcel{}, err
	}
	return s.launch(d, groups), nil
}

// choose leases the groups of the next batch; none where none can be formed. A group
// that cannot be read is set aside by the queue, and others are chosen.
func (s *Server) choose(ctx context.Context) ([]queue.Delivery, error) {
	want := queue.Want{Consumer: consumer, Pick: func(waiting []queue.Entry) []queue.Entry {
		s.mu.RLock()
		defer s.mu.RUnlock()
		return pack(s.held.others(waiting), s.need(time.Now()))
	}}
	for {
		groups, err := s.queue.Lease(ctx, want)
		if !isCorrupt(err) {
			return groups, err
		}
	}
}

// launch makes d fly.
func (s *Server) launch(d *delivery, groups []queue.Delivery) parcel {
	s.mu.Lock()
	defer s.mu.Unlock()
	d.state = flying
	d.attempt++
	return parcel{d, d.attempt, groups}
}

// land says what became of the reply that p was written to.
func (s *Server) land(p parcel, by *exchange, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case p.delivery.attempt != p.attempt || p.state != flying: // it was taken back meanwhile
	case err != nil:
		p.state = due
		s.counts.torn++
	default:
		p.state, p.by = handed, by
	}
}

// takeBack makes all batches due that the trainer has or may have. s.mu is held.
func (s *Server) takeBack() {
	for _, d := range s.open {
		d.state = due
		d.attempt++
	}
}

// need says what the next batch must hold. s.mu is held.
func (s *Server) need(now time.Time) need {
	n := need{sequences: s.run.BatchSize}
	for id, e := range s.run.Envs {
		if !e.Connected || e.Minimum == nil || now.Sub(s.heard[id]) > s.config.EnvTimeout {
			continue
		}
		n.addMinimum(int32(id), *e.Minimum)
	}
	return n
}

// unpackable counts the groups that fit into no batch, by their size, as long as no
// sizes come but those that wait and those of the environments. It is nil before a
// trainer registers.
func (s *Server) unpackable() map[int]int {
	found := make(map[int]int)
	s.queue.View(func(waiting []queue.Entry) {
		s.mu.RLock()
		defer s.mu.RUnlock()
		if !s.run.Registered {
			return
		}
		var sizes []int
		for _, e := range s.run.Envs {
			if e.Connected {
				sizes = append(sizes, e.GroupSize)
			}
		}
		for _, e := range s.held.others(waiting) {
			found[e.Sequences]++
		}
		for size := range found {
			sizes = append(sizes, size)
		}
		fits := packable(s.run.BatchSize, sizes)
		for size := range found {
			if fits(size) {
				delete(found, size)
			}
		}
	})
	return found
}

// reportUnpackable logs the sizes of groups that fit into no batch, each once.
func (s *Server) reportUnpackable() {
	sizes := s.unpackable()
	s.mu.Lock()
	defer s.mu.Unlock()
	for size, groups := range sizes {
		if !s.reported[size] {
			s.reported[size] = true
			s.log.Warn("groups of this size fit into no batch, and wait in vain",
				"sequences", size, "groups", groups, "batch_size", s.run.BatchSize)
		}
	}
}

func isCorrupt(err error) bool {
	var c *queue.CorruptError
	return errors.As(err, &c)
}
