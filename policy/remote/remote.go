// Package remote is an HTTP client of one inference server of any kind. It keeps the
// address and the key, limits time, size and concurrency, retries temporary faults, and
// returns errors with advice.
//
// It also keeps which versions of the weights the servers have, as told by the trainer that loaded
// them ([Version]), and how far each server lags behind the newest ([ServerLags]).
//
// A policy for a kind of server writes the requests and reads the answers; see
// [Server.Ask].
package remote

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
)

// A Server is one inference server. Many goroutines may use it at once. Its only goroutines
// are those of its connections; CloseIdle ends them.
type Server struct {
	cfg   Config
	base  *url.URL
	http  *httpclient.Client
	slots chan struct{} // a token for each running request
	retry *Retry

	weights weights
	readers sync.Pool // of *eventReader

	asked   atomic.Int64
	retried atomic.Int64
}

// Stats counts the HTTP requests of [Server.Ask].
type Stats struct {
	Asked   int64 // all, retries included
	Retried int64 // retried ones
}

// New returns the server of cfg, without contacting it. The error names the invalid
// setting.
func New(cfg Config) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	base, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	return &Server{
		cfg:   cfg,
		base:  base,
		http:  httpclient.New(httpclient.Config{Key: cfg.APIKey, Connections: cfg.MaxInFlight, Transport: cfg.Transport}),
		slots: make(chan struct{}, cfg.MaxInFlight),
		retry: NewRetry(cfg),

		readers: sync.Pool{New: newEventReader},
	}, nil
}

// Stats returns the counts so far.
func (s *Server) Stats() Stats { return Stats{Asked: s.asked.Load(), Retried: s.retried.Load()} }

// CloseIdle closes the idle connections.
func (s *Server) CloseIdle() { s.http.CloseIdle() }

// A Call is a request that may need several attempts.
type Call struct {
	Path string // below the server's URL
	Body []byte // JSON

	// Begin is called before each attempt with the version of the server's weights: no
	// token of the answer is from older ones. Read gets the body of an answer with status
	// 2xx; its fault counts like one of the attempt.
	Begin func(version int32)
	Read  func(body []byte) *Error

	// Event, if not nil, is called with the data of each server-sent event of an answer, as
	// it arrives. It may change the data, which are valid only during the call. Read is
	// then called last, with the body [Done] if that event came, else without one.
	Event func(data []byte) *Error

	// Abort, if not nil, asks the server to end the request. It is called when the context
	// ends during an attempt, which then has the time Grace to finish.
	Abort func()

	// Guided says that the server may refuse the request because of a schema in it: the error is
	// then a [quintain.ErrUnguided].
	Guided bool

	// Missing is the advice if the server answers 404; "": none.
	Missing string
}

// Grace limits an attempt after [Call.Abort].
const Grace = 2 * time.Second

// Ask makes attempts for c until one succeeds, a fault is permanent or the retries are
// spent. The error is an [*Error], or the cause of ctx if ctx ended before an attempt
// succeeded.
func (s *Server) Ask(ctx context.Context, c Call) error {
	tried := false
	return s.retry.Do(ctx, func() *Error {
		if tried {
			s.retried.Add(1)
		}
		tried = true
		return s.try(ctx, &c)
	})
}

// try waits for a slot and makes one attempt.
func (s *Server) try(ctx context.Context, c *Call) *Error {
	if ctx.Err() != nil {
		return faultOf(ctx, context.Cause(ctx))
	}
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return faultOf(ctx, context.Cause(ctx))
	}
	s.asked.Add(1)
	c.Begin(s.Version(ctx))
	if c.Abort != nil {
		work, release := aborting(ctx, c.Abort)
		defer release()
		ctx = work
	}
	a, fault := s.exchange(ctx, http.MethodPost, c)
	if fault != nil {
		if c.Guided && fault.Kind == Refused && (fault.Status == http.StatusBadRequest || fault.Status == http.StatusUnprocessableEntity) {
			fault.Err = quintain.ErrUnguided
		}
		return fault
	}
	if fault := c.Read(a.body); fault != nil {
		return s.sign(fault, a)
	}
	return nil
}

// aborting returns a context that outlives ctx by Grace. When ctx ends, it calls abort. The
// function release waits until abort has returned.
func aborting(ctx context.Context, abort func()) (work context.Context, release func()) {
	work, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		abort()
		grace := time.NewTimer(Grace)
		defer grace.Stop()
		select {
		case <-grace.C:
			cancel(context.Cause(ctx))
		case <-work.Done():
		}
	})
	return work, func() {
		cancel(nil)
		if !stop() {
			<-ended
		}
	}
}

// patience is the time limit of Get and Post.
const patience = 30 * time.Second

// Get requests path once, with a time limit of 30 seconds, and returns the body of the
// answer. missing is the Missing of a [Call]. The error is an [*Error], or the cause of
// ctx.
func (s *Server) Get(ctx context.Context, path, missing string) ([]byte, error) {
	return s.once(ctx, http.MethodGet, &Call{Path: path, Missing: missing})
}

// Post posts body to path once, with a time limit of 30 seconds, and returns the body of
// the answer. The error is an [*Error], or the cause of ctx.
func (s *Server) Post(ctx context.Context, path string, body []byte) ([]byte, error) {
	return s.once(ctx, http.MethodPost, &Call{Path: path, Body: body})
}

func (s *Server) once(ctx context.Context, method string, c *Call) ([]byte, error) {
	short, cancel := httpclient.Within(ctx, min(patience, s.cfg.Timeout))
	defer cancel()
	a, fault := s.exchange(short, method, c)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if fault != nil {
		return nil, fault
	}
	return a.body, nil
}

// Fault completes e, a fault found in the body of an answer from path.
func (s *Server) Fault(e *Error, path string, body []byte) *Error {
	return s.sign(e, answer{url: httpclient.Plain(s.base.JoinPath(path)), status: http.StatusOK, body: body})
}
