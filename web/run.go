package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Run serves on l, which it closes, until ctx ends or l fails. Then it closes idle
// connections at once, and gives requests under way the drain time. When Run returns,
// everything that it started has ended. The end of ctx is not an error. A server runs
// only once.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer s.close()
	all := &connections{fresh: make(map[net.Conn]struct{})}
	inner := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return requests },
		ConnContext:       withConn,
		ConnState:         all.note,
	}
	failed := make(chan error, 1)
	var serving sync.WaitGroup
	door := &listener{Listener: l, most: int64(s.config.Settings.MaxConnections), refused: s.metrics.refused.Inc}
	serving.Go(func() { failed <- inner.Serve(door) })

	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.close()
	drained, stop := context.WithTimeout(requests, s.config.Settings.Drain)
	defer stop()
	all.closeFresh()
	if inner.Shutdown(drained) != nil {
		cut()
		inner.Close()
	}
	serving.Wait()
	all.wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", s.config.Name, err)
	}
	return nil
}

// close wakes the calls that wait for something.
func (s *Server) close() { s.stop.Do(func() { close(s.stopping) }) }

// connections are those that a server has.
type connections struct {
	open sync.WaitGroup

	mu      sync.Mutex
	fresh   map[net.Conn]struct{} // have not sent a byte yet
	closing bool
}

// note hears of every connection that comes, goes, or begins to speak.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.open.Add(1)
		c.fresh[conn] = struct{}{}
		if c.closing {
			conn.Close()
		}
	case http.StateClosed, http.StateHijacked:
		delete(c.fresh, conn)
		c.open.Done()
	default:
		delete(c.fresh, conn)
	}
}

// closeFresh closes the connections on which no request has begun, now and from now on:
// http.Server would wait for one.
func (c *connections) closeFresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	for conn := range c.fresh {
		conn.Close()
	}
}

// wait returns when all connections are closed and none is served. The server takes no
// more by then.
func (c *connections) wait() { c.open.Wait() }
