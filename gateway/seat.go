package gateway

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
)

// A countedSeat answers the calls of one episode: it counts them, and their time.
type countedSeat struct {
	quintain.Seat

	mu    sync.Mutex
	calls int
	used  time.Duration // server time of all replies
	full  error         // of the last reply: the conversation had no room for it
	fault error         // of the last call that failed otherwise
}

// countCalls returns a seat whose calls are counted.
func countCalls(at quintain.Seat) *countedSeat { return &countedSeat{Seat: at} }

// Sample implements [quintain.Policy].
func (s *countedSeat) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	s.mu.Lock()
	s.calls++
	r.Key, r.Exam, r.Within = fmt.Sprintf("%s~%d", s.Key, s.calls), s.Exam, s.Within-s.used
	s.mu.Unlock()
	if s.Within > 0 && r.Within <= 0 {
		return nil, fmt.Errorf("its replies took %v, the limit is %v: %w", s.Within-r.Within, s.Within, quintain.ErrTimeout)
	}
	if s.Within <= 0 {
		r.Within = 0
	}
	all, err := s.Policy.Sample(ctx, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range all {
		s.used += one.Took
	}
	s.full = nil
	if errors.Is(err, quintain.ErrNoRoom) {
		s.full = err
	} else if err != nil {
		s.fault = err
	}
	return all, err
}

// lastFault returns the last error of the policy; nil: it made none.
func (s *countedSeat) lastFault() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// noRoom returns the error of the last call if it had no room for a reply.
func (s *countedSeat) noRoom() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.full
}
