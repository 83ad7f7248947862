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

// Run serves on l until ctx ends or l fails, and closes it. On the end of ctx, which is no
// error, it closes idle connections at once and gives running requests the drain time. All
// goroutines that it started have ended when it returns. A server runs once only.
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
	limited := &limitListener{Listener: l, most: s.maxConnections(), refused: s.refuse, evicted: func() { s.last().metrics.evicted.Inc() }}
	serving.Go(func() { failed <- inner.Serve(limited) })

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
	cut() // ends calls that took over their connections
	s.calls.Wait()
	s.last().calls.Wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("%s: %w", s.config.Name, err)
	}
	return nil
}

// HandOver has heir answer the requests from now on, on the same listener and connections. It
// ends with the Run of s. Heir has the same settings, and neither runs nor hands over itself.
func (s *Server) HandOver(heir *Server) {
	s.heir.Store(heir)
	select {
	case <-s.stopping:
		heir.close()
	default:
	}
}

// last is the server that answers.
func (s *Server) last() *Server {
	if heir := s.heir.Load(); heir != nil {
		return heir
	}
	return s
}

// maxConnections is the limit of connections: that of the settings, if the process may open so
// many files beside those for its own calls and its store.
func (s *Server) maxConnections() int {
	return min(s.config.Settings.MaxConnections, max(1, FilesForConnections()-s.config.Settings.Calls))
}

// refuse counts a connection that gets status 503, and tells of the first.
func (s *Server) refuse() {
	s.last().metrics.refused.Inc()
	s.full.Do(func() {
		s.log.Warn("connections get status 503, because as many are busy as may be: raise max_connections, or the limit of open files if that is lower (ulimit -n)",
			"busy", s.maxConnections(), "max_connections", s.config.Settings.MaxConnections, "open_files", OpenFileLimit())
	})
}

// close wakes waiting calls.
func (s *Server) close() {
	s.stop.Do(func() { close(s.stopping) })
	if heir := s.heir.Load(); heir != nil {
		heir.close()
	}
}

// connections are the open connections of a server.
type connections struct {
	open sync.WaitGroup

	mu      sync.Mutex
	fresh   map[net.Conn]struct{} // no byte received yet
	closing bool
}

// note tracks the states of all connections.
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
			mine.listener.waits(mine)
		}
	case http.StateClosed, http.StateHijacked:
		c.open.Done()
	}
	delete(c.fresh, on)
}

// closeFresh closes connections without a request, now and later: http.Server would wait for
// one.
func (c *connections) closeFresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	for conn := range c.fresh {
		conn.Close()
	}
}

// wait returns when all connections have closed. The server takes no new ones by then.
func (c *connections) wait() { c.open.Wait() }
