package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Run serves on l, which it closes, until ctx ends or l fails. It closes idle
// connections at once then, and gives requests under way the drain time to end.
// Nothing that it started is left when it returns. The end of ctx is no error.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	requests, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer s.close()
	all := &connections{fresh: make(map[net.Conn]struct{})}
	web := &http.Server{
		Handler:           s.Handler(),
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
	door := &listener{Listener: l, most: int64(s.config.Limits.Connections), refused: s.metrics.refused.Inc}
	serving.Go(func() { failed <- web.Serve(door) })

	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.close()
	drained, stop := context.WithTimeout(requests, s.config.Drain)
	defer stop()
	all.closeFresh()
	if web.Shutdown(drained) != nil {
		cut()
		web.Close()
	}
	serving.Wait()
	all.wait()
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("hub: %w", err)
	}
	return nil
}

// connections are those that a server has.
type connections struct {
	open sync.WaitGroup

	mu      sync.Mutex
	fresh   map[net.Conn]struct{} // have not sent a byte yet
	closing bool
}

// note is told of every connection that comes, goes, or begins to speak.
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

// closeFresh closes the connections on which no request has begun, now and from now
// on: http.Server would wait for one.
func (c *connections) closeFresh() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closing = true
	for conn := range c.fresh {
		conn.Close()
	}
}

// wait returns when all connections are closed and nobody serves them. The server
// takes no more.
func (c *connections) wait() { c.open.Wait() }

// A listener makes connections that know whether they broke, and not too many.
type listener struct {
	net.Listener
	most    int64
	refused func() // called for each connection beyond that
	open    atomic.Int64
}

// tooMany is what a connection beyond the limit is told.
const tooMany = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// Accept waits for the next connection.
func (l *listener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return &conn{Conn: c, gone: func() { l.open.Add(-1) }}, nil
		}
		l.open.Add(-1)
		l.refused()
		if c.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
			_, _ = io.WriteString(c, tooMany) // fits into the buffers of a new connection
		}
		c.Close()
	}
}

// A conn is a connection that knows whether it broke: the other side went away
// without having read all that was written to it, or writing failed.
type conn struct {
	net.Conn
	broken   atomic.Bool
	requests atomic.Int64 // that have come so far
	gone     func()       // called when it is closed
	closing  sync.Once
}

// Close closes the connection.
func (c *conn) Close() error {
	c.closing.Do(c.gone)
	return c.Conn.Close()
}

// Read reads what the other side sends. One that hangs up with a reply unread is
// noticed here: its system resets the connection.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	var timeout net.Error
	switch {
	case err == nil, errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
	case errors.As(err, &timeout) && timeout.Timeout():
	default:
		c.broken.Store(true)
	}
	return n, err
}

// Write writes to the other side.
func (c *conn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	if err != nil {
		c.broken.Store(true)
	}
	return n, err
}

type connKey struct{}

func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// An exchange is one request and its reply, on a connection that may have more of
// them.
type exchange struct {
	conn   *conn
	number int64
}

// newExchange counts the request of ctx. It is nil where the connection is not one
// of Run's.
func newExchange(ctx context.Context) *exchange {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return nil
	}
	return &exchange{c, c.requests.Add(1)}
}

// torn reports whether the connection broke before another request came on it: the
// reply, though written, did not reach its reader.
func (e *exchange) torn() bool {
	return e != nil && e.conn.broken.Load() && e.conn.requests.Load() == e.number
}
