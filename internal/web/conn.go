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

// A listener limits the number of connections, and makes them notice when they break.
// If there are too many, it closes the one that has waited longest without a request.
type listener struct {
	net.Listener
	most    int
	refused func() // called for each connection beyond that
	evicted func() // called for each connection that is closed for another

	mu      sync.Mutex
	open    int
	waiting list.List // of *conn: those on which no request is answered, the longest first
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

// admit counts a connection, unless there are too many on which requests are answered.
func (l *listener) admit(c net.Conn) (mine *conn, ok bool) {
	l.mu.Lock()
	full := l.open >= l.most
	longest := l.front()
	l.mu.Unlock()
	if full && longest != nil {
		l.evicted()
		_ = longest.Close() // it is of no more use
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.most {
		return nil, false
	}
	l.open++
	mine = &conn{Conn: c, door: l}
	mine.place = l.waiting.PushBack(mine)
	return mine, true
}

// front is the connection that has waited longest, or nil. l.mu is held.
func (l *listener) front() *conn {
	if l.waiting.Len() == 0 {
		return nil
	}
	longest, _ := l.waiting.Front().Value.(*conn)
	return longest
}

// waits notes that a connection waits for a request. A connection that is closed does
// not.
func (l *listener) waits(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.place == nil && !c.left {
		c.place = l.waiting.PushBack(c)
	}
}

// works notes that a request of a connection is about to be answered.
func (l *listener) works(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
}

// leave notes that a connection is closed.
func (l *listener) leave(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.remove(c)
	l.open--
	c.left = true
}

// remove takes a connection from those that wait. l.mu is held.
func (l *listener) remove(c *conn) {
	if c.place != nil {
		l.waiting.Remove(c.place)
		c.place = nil
	}
}

// A conn is a connection that knows whether it broke: the other side went away before
// it had read everything, or a write failed.
type conn struct {
	net.Conn
	broken   atomic.Bool
	requests atomic.Int64 // that have come so far
	closing  sync.Once

	door  *listener
	place *list.Element // among those that wait; nil: it does not. door.mu guards it
	left  bool          // it is closed. door.mu guards it
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.closing.Do(func() { c.door.leave(c) })
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
	c.door.works(c)
	return &Exchange{c, c.requests.Add(1)}
}

// Torn reports whether the connection broke before it carried another request: the
// reply was written, but did not reach its reader. A nil Exchange is never torn.
func (e *Exchange) Torn() bool {
	return e != nil && e.conn.broken.Load() && e.conn.requests.Load() == e.number
}
