package web

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"syscall"
	"time"
)

// faultEvery is how often the faults of a route are logged.
const faultEvery = time.Minute

// faults remembers which calls failed by the fault of this server, so that a disk that
// is broken fills no log.
type faults struct {
	mu sync.Mutex
	by map[string]*fault // by route
}

// A fault is what is known of the faults of a route.
type fault struct {
	logged time.Time
	more   int // since then
}

// note notes a fault of a route, and returns whether to log it, and how many were not
// logged since the last that was.
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

// Fail answers a request that was not carried out because of err: an [*Error] with its
// own status, an error of [ReadBody] or [Call.Reserve] with the status that fits. Any
// other is the fault of this server; see [Call.Fault].
func (c *Call) Fail(err error) {
	var (
		own   *Error
		large *largeError
		body  *bodyError
	)
	switch {
	case errors.As(err, &own):
		c.Detail(own.Status, err.Error())
	case errors.As(err, &large):
		c.W.Header().Set("Connection", "close") // the rest of the body is not read
		c.Detail(http.StatusRequestEntityTooLarge, large.Error())
	case errors.Is(err, errEncoding):
		c.Detail(http.StatusUnsupportedMediaType, err.Error())
	case errors.Is(err, errGzip):
		c.Text(http.StatusBadRequest, "Invalid gzip payload")
	case errors.As(err, &body):
		c.W.Header().Set("Connection", "close")
		c.Detail(body.status(), body.Error())
	case errors.Is(err, errBusy):
		c.server.metrics.busy.Inc()
		c.W.Header().Set("Retry-After", "1")
		c.Detail(http.StatusServiceUnavailable, err.Error())
	case errors.Is(err, context.Canceled) && c.R.Context().Err() != nil:
		c.Detail(http.StatusRequestTimeout, "the client went away") // nobody reads it
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		c.Fault(http.StatusInsufficientStorage, err)
	default:
		c.Fault(http.StatusServiceUnavailable, err)
	}
}

// Fault answers a request that failed by the fault of this server, such as a broken
// disk. It counts each, and logs the first of a route and then one a minute.
func (c *Call) Fault(status int, err error) {
	s := c.server
	s.metrics.fault(c, status)
	if unlogged, log := s.faults.note(c.Route, time.Now()); log {
		s.log.Error("a request failed", "path", c.R.URL.Path, "status", status, "err", err, "unlogged", unlogged)
	}
	c.W.Header().Set("Retry-After", "2")
	c.Detail(status, err.Error())
}
