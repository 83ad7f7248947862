package web

import (
	"container/list"
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A limitListener limits the number of connections. At the limit it closes the one that has
// idled longest. Its connections notice when they break.
type limitListener struct {
	net.Listener
	most    int
	refused func() // called for each connection turned away
	evicted func() // called for each idle connection closed for a new one

	mu   sync.Mutex
	open int
	idle list.List // of *conn without a request under way, the longest idle first
}

// tooMany is the reply to a connection beyond the limit.
const tooMany = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// Accept implements [net.Listener].
func (l *limitListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if mine, ok := l.admit(c); ok {
			return mine, nil
		}
		l.refused()
		if c.SetWriteDeadline(time.Now().Add(time.Second)) == nil {
			_, _ = io.WriteString(c, tooMany) // fits into the buffers of a new connection
		}
		c.Close()
	}
}

// admit counts a connection, unless all others are busy with requests.
func (l *limitListener) admit(c net.Conn) (mine *conn, ok bool) {
	l.mu.Lock()
	full := l.open >= l.most
	longest := l.front()
	l.mu.Unlock()
	if full && longest != nil {
		l.evicted()
		_ = longest.Close()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.most {
		return nil, false
	}
	l.open++
	mine = &conn{Conn: c, listener: l}
	mine.place = l.idle.PushBack(mine)
	return mine, true
}

// front is the connection that has idled longest, or nil. l.mu is held.
func (l *limitListener) front() *conn {
	if l.idle.Len() == 0 {
		return nil
	}
	longest, _ := l.idle.Front().Value.(*conn)
	return longest
}

// waits notes that a connection is idle. A closed one never is.
func (l *limitListener) waits(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.place == nil && !c.left {
		c.place = l.idle.PushBack(c)
	}
}

// works notes that a request begins on a connection.
func (l *limitListener) works(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
}

// leave notes that a connection closed.
func (l *limitListener) leave(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
	l.open--
	c.left = true
}

// remove takes a connection out of the idle ones. l.mu is held.
func (l *limitListener) remove(c *conn) {
	if c.place != nil {
		l.idle.Remove(c.place)
		c.place = nil
	}
}

// A conn knows whether it broke: the peer went away before it read everything, or a write
// failed.
type conn struct {
	net.Conn
	broken   atomic.Bool
	requests atomic.Int64 // so far
	closing  sync.Once

	listener *limitListener
	place    *list.Element // in listener.idle; nil: not idle. listener.mu guards it
	left     bool          // it closed. listener.mu guards it
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.closing.Do(func() { c.listener.leave(c) })
	return c.Conn.Close()
}

// Read implements [net.Conn]. It notices a client that hangs up with a reply unread, because
// its system resets the connection.
func (c *conn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return n, err
	}
	var network net.Error
	if !errors.As(err, &network) || !network.Timeout() {
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

// An Exchange is one request and its reply, on a connection that may carry more.
type Exchange struct {
	conn   *conn
	number int64
}

// newExchange counts a request. It is nil unless the connection is one of Run's.
func newExchange(ctx context.Context) *Exchange {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return nil
	}
	c.listener.works(c)
	return &Exchange{c, c.requests.Add(1)}
}

// Torn reports whether the connection broke before its next request: the reply was written,
// but did not arrive. A nil Exchange is never torn.
func (e *Exchange) Torn() bool {
	return e != nil && e.conn.broken.Load() && e.conn.requests.Load() == e.number
}
