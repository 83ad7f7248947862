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
	door := &listener{Listener: l, most: s.maxConnections(), refused: s.metrics.refused.Inc, evicted: s.metrics.evicted.Inc}
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
	cut() // calls that took their connections over still go on
	s.calls.Wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", s.config.Name, err)
	}
	return nil
}

// maxConnections is how many connections there may be: as the settings say, but not more
// than the files that this process may open, of which it leaves a quarter, up to 2048, for
// others.
func (s *Server) maxConnections() int {
	most, files := s.config.Settings.MaxConnections, openFiles()
	if files -= min(files/4, 2048); files > 0 && files < most {
		s.log.Warn("the limit of open files allows fewer connections than max_connections: raise it by ulimit -n", "max_connections", most, "allowed", files)
		return files
	}
	return most
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
func (c *connections) note(on net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.open.Add(1)
		c.fresh[on] = struct{}{}
		if c.closing {
			on.Close()
		}
		return
	case http.StateIdle:
		if mine, ok := on.(*conn); ok {
			mine.door.waits(mine)
		}
	case http.StateClosed, http.StateHijacked:
		c.open.Done()
	}
	delete(c.fresh, on)
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
