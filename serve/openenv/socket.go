package openenv

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/coder/websocket"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/wire"
)

// A socket carries the messages of a session.
type socket struct {
	call   *web.Call
	conn   *websocket.Conn
	ctx    context.Context //nolint:containedctx // a socket lives as long as its call
	cancel func()          // ends ctx
	used   func()          // says that the client sent something
}

// Close ends the session, with what is under way.
func (k *socket) Close() error {
	k.cancel()
	return nil
}

// socket plays a session over a WebSocket, until the client closes it, is silent for too
// long, or the server stops.
func (s *server) socket(c *web.Call) (err error) {
	c.Waits = true
	id := newID()
	k := &socket{call: c, used: func() { s.sessions.Get(id, c.Owner) }}
	k.ctx, k.cancel = context.WithCancel(c.Context())
	defer k.cancel()
	k.conn, err = websocket.Accept(c.W, c.R, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // package web checks the origin
		OnPingReceived: func(context.Context, []byte) bool {
			k.used()
			return true
		},
	})
	if err != nil {
		return nil // it is answered
	}
	defer func() { _ = k.conn.CloseNow() }() // it may be closed
	k.conn.SetReadLimit(maxMessage)
	if s.sessions.Open(id, c.Owner, func() (*socket, error) { return k, nil }) != nil {
		k.refuse(s.sessions.Count(), s.limits.Most)
		return nil
	}
	defer func() { _ = s.sessions.End(id, c.Owner) }() // it may be over
	one := s.session()
	defer one.close()
	for k.turn(one) {
	}
	return nil
}

// refuse ends a session beyond the limit.
func (k *socket) refuse(active, most int) {
	full := &wire.OpenEnvRefusal{Message: "as many sessions are open as may be: close one, or raise max_sessions", Code: wire.OpenEnvCapacity, Active: &active, Sessions: most}
	if k.send(reply{wire.OpenEnvError, full}) == nil {
		_ = k.conn.Close(websocket.StatusTryAgainLater, full.Message)
	}
}

// turn receives a message and sends the reply. It reports false once the session is over.
func (k *socket) turn(one *session) bool {
	text, release, err := k.receive()
	if err != nil {
		return false // the connection is closed, with the reason
	}
	defer release()
	k.used()
	m, err := parse(text)
	if err != nil {
		return k.fail(err)
	}
	if m.Type == wire.OpenEnvClose {
		_ = k.conn.Close(websocket.StatusNormalClosure, "")
		return false
	}
	var answer reply
	if err := k.call.Compute(func() (err error) { answer, err = one.play(k.ctx, m); return err }); err != nil {
		return k.fail(err)
	}
	return k.send(answer) == nil
}

// fail sends the refusal in err. It reports false once the session is over: after any other
// error, the server stops.
func (k *socket) fail(err error) bool {
	var refused *wire.OpenEnvRefusal
	if !errors.As(err, &refused) {
		return false
	}
	return k.send(reply{wire.OpenEnvError, refused}) == nil
}

// smallMessage is the number of bytes read before memory is reserved for a message.
const smallMessage = 4 << 10

// errBinary says that a message is not text.
var errBinary = errors.New("messages are JSON in text frames")

// receive returns the next message. release returns its reserved memory.
func (k *socket) receive() (text []byte, release func(), err error) {
	kind, r, err := k.conn.Reader(k.ctx)
	if err != nil {
		return nil, nil, err
	}
	if kind != websocket.MessageText {
		return nil, nil, errors.Join(errBinary, k.conn.Close(websocket.StatusUnsupportedData, errBinary.Error()))
	}
	text, err = io.ReadAll(io.LimitReader(r, smallMessage))
	if err != nil || len(text) < smallMessage {
		return text, func() {}, err
	}
	if err := k.call.Reserve(maxMessage); err != nil {
		return nil, nil, errors.Join(err, k.conn.Close(websocket.StatusTryAgainLater, "the requests under way take all memory"))
	}
	late := time.AfterFunc(moveTime, func() { _ = k.conn.CloseNow() })
	defer late.Stop()
	rest, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err // the session ends now and returns the memory
	}
	return append(text, rest...), func() { k.call.Release(maxMessage) }, nil
}

// moveTime is the time for a client to receive a reply, and to send a large message.
const moveTime = time.Minute

// send sends a reply.
func (k *socket) send(r reply) error {
	ctx, cancel := context.WithTimeout(k.ctx, moveTime)
	defer cancel()
	return k.conn.Write(ctx, websocket.MessageText, encode(r))
}
