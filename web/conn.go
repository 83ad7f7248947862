package web

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A listener limits the number of connections, and makes them notice when they break.
type listener struct {
	net.Listener
	most    int64
	refused func() // called for each connection beyond that
	open    atomic.Int64
}

// tooMany is the reply to a connection beyond the limit.
const tooMany = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// Accept implements [net.Listener].
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

// A conn is a connection that knows whether it broke: the other side went away before
// it had read everything, or a write failed.
type conn struct {
	net.Conn
	broken   atomic.Bool
	requests atomic.Int64 // that have come so far
	gone     func()       // called when it is closed
	closing  sync.Once
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.closing.Do(c.gone)
	return c.Conn.Close()
}

// Read implements [net.Conn]. It notices a client that hangs up with a reply unread,
// because the client's system resets the connection.
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

// Write implements [net.Conn].
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

// An Exchange is one request and its reply, on a connection that may carry more of them.
type Exchange struct {
	conn   *conn
	number int64
}

// newExchange counts the request of ctx. It is nil if the connection is not one of Run's.
func newExchange(ctx context.Context) *Exchange {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return nil
	}
	return &Exchange{c, c.requests.Add(1)}
}

// Torn reports whether the connection broke before it carried another request: the
// reply was written, but did not reach its reader. A nil Exchange is never torn.
func (e *Exchange) Torn() bool {
	return e != nil && e.conn.broken.Load() && e.conn.requests.Load() == e.number
}
