package external

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
)

// A server is a program at an HTTP address. It implements [link].
type server struct {
	how    Settings
	client *httpclient.Client
	free   chan struct{} // filled for each request in flight

	mu     sync.Mutex // guards the fields below
	fault  error
	played bool
}

// newServer returns the link to how's address.
func newServer(how Settings) *server {
	return &server{how: how, free: make(chan struct{}, 1), client: httpclient.New(httpclient.Config{Connections: mostParallel})}
}

// ask implements [link].
func (s *server) ask(ctx context.Context, r *Request) (*Answer, error) {
	line, err := r.line()
	if err != nil {
		return nil, err
	}
	if _, fault := s.gone(); fault != nil {
		return nil, lost(fault)
	}
	select {
	case s.free <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-s.free }()
	a, err := s.post(ctx, line, s.how.limit(r))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, quintain.ErrLost):
		s.fault = err
	case err != nil:
		return nil, err
	case a.ID != r.ID:
		return nil, fmt.Errorf("the server answers request %d instead of %d", a.ID, r.ID)
	default:
		s.played = s.played || a.Hello == nil
	}
	return a, err
}

// post sends a request. The error is [quintain.ErrLost] if the server does not know the
// episode, status 404, or nobody listens there.
func (s *server) post(ctx context.Context, line []byte, most time.Duration) (*Answer, error) {
	ctx, cancel := httpclient.Within(ctx, most)
	defer cancel()
	r, err := s.client.Request(ctx, http.MethodPost, s.how.URL, line)
	if err != nil {
		return nil, err
	}
	reply, err := s.client.Do(r, int64(s.how.MaxBytes))
	fault, failed := errors.AsType[*httpclient.Error](err)
	switch {
	case errors.Is(err, httpclient.ErrTooLarge):
		return nil, tooLong(s.how.MaxBytes)
	case failed && (fault.Status == http.StatusNotFound || fault.Unreached()):
		return nil, lost(err)
	case failed:
		return nil, err
	}
	a, err := readAnswer(reply.Body)
	if err != nil {
		return nil, reply.Invalid(fmt.Errorf("the answer is invalid: %w", err))
	}
	return a, nil
}

// widen implements [link].
func (s *server) widen(n int) { s.free = make(chan struct{}, n) }

// gone implements [link].
func (s *server) gone() (played bool, fault error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.played, s.fault
}

// close implements [link].
func (s *server) close() { s.client.CloseIdle() }
