package openenv

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/ors"
)

// A socket carries the messages of a session. One goroutine at a time asks.
type socket struct {
	conn *websocket.Conn
	said chan heard         // what the server says; closed once it says no more
	stop context.CancelFunc // ends reading
}

// A heard is a message of the server, or why there are no more.
type heard struct {
	text []byte
	err  error
}

// dial opens a session. A goroutine reads what the server says, so that its pings are answered while the
// policy replies.
func (c *client) dial(ctx context.Context) (*socket, error) {
	at := "ws" + c.server.URL[len("http"):] + "/ws"
	conn, response, err := websocket.Dial(ctx, at, &websocket.DialOptions{HTTPClient: c.dialer})
	if response != nil && response.Body != nil {
		defer response.Body.Close()
	}
	if err != nil {
		return nil, fmt.Errorf("the server opens no session: %w", err)
	}
	conn.SetReadLimit(int64(c.how.MaxBytes))
	s := &socket{conn: conn, said: make(chan heard, 1)}
	var reading context.Context
	reading, s.stop = context.WithCancel(c.ended)
	c.work.Go(func() { s.read(reading) })
	return s, nil
}

// read reads until the session is over.
func (s *socket) read(ctx context.Context) {
	defer close(s.said)
	for {
		_, text, err := s.conn.Read(ctx)
		select {
		case s.said <- heard{text, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// ask sends a message, and returns the answer. The error is a [*wire.OpenEnvRefusal] if the server
// refuses the message, and [quintain.ErrLost] if it was not sent because the session was over before.
func (s *socket) ask(ctx context.Context, kind string, data any) (m wire.OpenEnvMessage, err error) {
	text, err := strictjson.Legible(struct {
		Type string `json:"type"`
		Data any    `json:"data,omitempty"`
	}{kind, data})
	if err != nil {
		return m, err
	}
	select {
	case h := <-s.said:
		if h.err != nil || h.text == nil {
			return m, external.Lost(errors.Join(errors.New("the server closed the session while the policy replied"), h.err))
		}
		return h.read() // such as the refusal of a full server
	default:
	}
	unsent := s.conn.Write(ctx, websocket.MessageText, text)
	select {
	case h := <-s.said:
		if h.err != nil || h.text == nil {
			return m, errors.Join(errors.New("the server closed the session instead of an answer"), unsent, h.err)
		}
		return h.read()
	case <-ctx.Done():
		return m, context.Cause(ctx)
	}
}

// read returns a message of the server. A refusal is an error.
func (h heard) read() (m wire.OpenEnvMessage, err error) {
	err = ors.Decode(h.text, &m)
	if err == nil && m.Type == wire.OpenEnvError {
		refusal := new(wire.OpenEnvRefusal)
		if err = ors.Decode(m.Data, refusal); err == nil {
			return m, fmt.Errorf("the environment says %.20s: %w", refusal.Code, refusal)
		}
	}
	if err != nil {
		err = fmt.Errorf("what the server says is invalid: %w: %.200s", err, h.text)
	}
	return m, err
}

// endTime limits the farewell of a session.
const endTime = 5 * time.Second

// end ends the session. It returns once the server has ended it, or after a while.
func (s *socket) end() {
	ctx, cancel := httpclient.Within(context.Background(), endTime)
	defer cancel()
	defer context.AfterFunc(ctx, s.stop)()
	if s.conn.Write(ctx, websocket.MessageText, []byte(`{"type":"`+wire.OpenEnvClose+`"}`)) != nil {
		s.stop()
	}
	for range s.said { // until it is closed
	}
	_ = s.conn.CloseNow() // it may be closed
	s.stop()
}

// places are the sessions at a server, which may let in only so many. Any number of goroutines may use
// them.
type places struct {
	mu    sync.Mutex
	taken int
	most  int          // 0: not known
	freed pause.Signal // a place is given back
}

// take takes a place, and waits for one if as many are taken as are known to be let in.
func (p *places) take(ctx context.Context) error {
	for {
		p.mu.Lock()
		freed, room := p.freed.Next(), p.most == 0 || p.taken < p.most
		if room {
			p.taken++
		}
		p.mu.Unlock()
		if room {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// leave gives a place back.
func (p *places) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	p.freed.Wake()
}

// learn notes how many sessions a full server says it lets in, and reports whether that is new.
func (p *places) learn(most int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	isNew := most > 0 && most != p.most
	if isNew {
		p.most = most
	}
	return isNew
}
