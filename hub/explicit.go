package hub

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A batchError says that a trainer may not do with a batch what it asks for.
type batchError struct {
	number uint64
	gone   bool // it is not open any more; else another has it
}

// Error says why not.
func (e *batchError) Error() string {
	if e.gone {
		return fmt.Sprintf("batch %d is not open: its groups were put into others, or the run was reset", e.number)
	}
	return fmt.Sprintf("batch %d is another trainer's: its lease ran out, or it was given back", e.number)
}

// errAcked says that a batch was acknowledged before.
var errAcked = errors.New("acknowledged before")

// mine returns an open batch that a trainer has, or had when nobody else has it. s.mu
// is held.
func (s *Server) mine(number uint64, trainer string) (*delivery, error) {
	for _, d := range s.open {
		if d.number != number {
			continue
		}
		if d.claim.trainer != trainer && (d.state == flying || d.state == handed) {
			return nil, &batchError{number, false}
		}
		return d, nil
	}
	if s.acked.has(number) {
		return nil, errAcked
	}
	return nil, &batchError{number, true}
}

// ack acknowledges one batch. Where that was done before it returns errAcked.
func (s *Server) ack(ctx context.Context, number uint64, trainer string) error {
	s.trade.Lock()
	defer s.trade.Unlock()
	s.lapse(time.Now())
	s.mu.Lock()
	d, err := s.mine(number, trainer)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	return s.finish(ctx, []*delivery{d})
}

// nack gives one batch back: it is handed out again, to whoever asks first.
func (s *Server) nack(number uint64, trainer string) error {
	s.lapse(time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.mine(number, trainer)
	if err != nil {
		return err
	}
	if d.state != due {
		d.state = due
		d.attempt++
		s.counts.nacked++
		s.events.tell("nacked", map[string]any{"batch": number, "trainer": trainer})
		s.wake()
	}
	return nil
}

// extend lengthens the lease of one batch, counted from now.
func (s *Server) extend(number uint64, trainer string, lease time.Duration) (until time.Time, err error) {
	s.lapse(time.Now())
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.mine(number, trainer)
	if err != nil {
		return until, err
	}
	if d.state != flying {
		d.state, d.by = handed, nil
	}
	d.claim.trainer, d.claim.lease = trainer, lease
	d.until = time.Now().Add(lease)
	return d.until, nil
}
