package external

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
)

// A server is a program at an HTTP address. It implements [link].
type server struct {
	how    Settings
	client *http.Client
	free   chan struct{} // filled for each request in flight

	mu     sync.Mutex // guards the fields below
	fault  error
	played bool
}

// newServer returns the link to how's address. It closes idle connections after four
// seconds: uvicorn, which such a server may run on, closes them after five, and a reply on
// a closing connection is lost.
func newServer(how Settings) *server {
	pool := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: mostParallel, IdleConnTimeout: 4 * time.Second}
	return &server{how: how, free: make(chan struct{}, 1), client: &http.Client{Timeout: how.AnswerTime, Transport: pool}}
}

// ask implements [link].
func (s *server) ask(ctx context.Context, r *request) (*answer, error) {
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
	a, err := s.post(ctx, line)
	if dial := (*net.OpError)(nil); errors.As(err, &dial) && dial.Op == "dial" {
		err = lost(err)
	}
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
// episode: status 404.
func (s *server) post(ctx context.Context, line []byte) (*answer, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.how.URL, bytes.NewReader(line))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	reply, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	body, err := io.ReadAll(io.LimitReader(reply.Body, int64(s.how.MaxBytes)+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > s.how.MaxBytes:
		return nil, tooLong(s.how.MaxBytes)
	case reply.StatusCode == http.StatusNotFound:
		return nil, lost(fmt.Errorf("the server answers with status %s: %s", reply.Status, clip(string(body))))
	case reply.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the server answers with status %s: %s", reply.Status, clip(string(body)))
	}
	a, err := readAnswer(body)
	if err != nil {
		return nil, fmt.Errorf("the server's answer is invalid: %w: %s", err, clip(string(body)))
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
func (s *server) close() { s.client.CloseIdleConnections() }
