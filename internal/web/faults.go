package web

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// faultEvery is how often a route's faults are logged.
const faultEvery = time.Minute

// faults remembers the faults of each route, so a broken disk does not flood the log.
type faults struct {
	mu sync.Mutex
	by map[string]*fault // by route
}

// A fault is the log state of a route's faults.
type fault struct {
	logged time.Time
	more   int // unlogged faults since then
}

// note counts a fault of a route. It returns whether to log it, and how many went unlogged
// since the last.
func (f *faults) note(route string, now time.Time) (unlogged int, log bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := f.by[route]
	if last == nil {
		last = &fault{}
		f.by[route] = last
	} else if now.Sub(last.logged) < faultEvery {
		last.more++
		return 0, false
	}
	unlogged = last.more
	*last = fault{logged: now}
	return unlogged, true
}

// A faultError is a fault of the server that has a status of its own.
type faultError struct {
	status int
	err    error
}

func (e *faultError) Error() string { return e.err.Error() }
func (e *faultError) Unwrap() error { return e.err }

// Fault returns err as a fault of the server, such as a broken disk, to be answered with status.
func Fault(status int, err error) error { return &faultError{status, err} }

// fail answers a call whose route returned err. It picks the status that fits; an error that
// it does not know is a fault of the server. If the reply has begun, it cuts the connection.
func (c *Call) fail(err error) {
	if c.W.Begun() {
		panic(http.ErrAbortHandler) // half a reply must not look like a whole one
	}
	if c.unread {
		c.W.Header().Set("Connection", "close")
		_ = http.NewResponseController(c.W).EnableFullDuplex() // else net/http reads before it replies; tests have none
		defer c.drain()
	}
	var (
		own   *Error
		large *largeError
		body  *bodyError
		fault *faultError
	)
	switch {
	case errors.As(err, &own):
		c.detail(own.Status, err.Error())
	case errors.As(err, &large):
		c.detail(http.StatusRequestEntityTooLarge, large.Error())
	case errors.Is(err, errEncoding):
		c.detail(http.StatusUnsupportedMediaType, err.Error())
	case errors.Is(err, errGzip) && c.Refusal != nil:
		c.detail(http.StatusBadRequest, err.Error())
	case errors.Is(err, errGzip):
		_ = c.Text(http.StatusBadRequest, "Invalid gzip payload")
	case errors.As(err, &body):
		c.W.Header().Set("Connection", "close")
		c.detail(body.status(), body.Error())
	case errors.Is(err, errBusy):
		c.server.metrics.busy.Inc()
		c.W.Header().Set("Retry-After", "1")
		c.detail(http.StatusServiceUnavailable, err.Error())
	case errors.As(err, &fault):
		c.fault(fault.status, err)
	case errors.Is(err, context.Canceled) && c.R.Context().Err() != nil:
		c.detail(http.StatusRequestTimeout, "the client went away") // nobody reads it
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		c.fault(http.StatusInsufficientStorage, err)
	default:
		c.fault(http.StatusServiceUnavailable, err)
	}
}

// fault answers a call that failed through a fault of the server. It counts every fault, but
// logs only one a minute of a route.
func (c *Call) fault(status int, err error) {
	s := c.server
	s.metrics.fault(c, status)
	if unlogged, log := s.faults.note(c.Route, time.Now()); log {
		s.log.Error("a request failed", "path", c.R.URL.Path, "status", status, "err", err, "unlogged", unlogged)
	}
	c.W.Header().Set("Retry-After", "2")
	c.detail(status, err.Error())
}
