package gateway

import (
	"net/http"
	"time"

	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/web"
)

// An exchange is a model call over HTTP: a request that waits for a flight.
type exchange struct {
	agentAPI
	c       *web.Call
	d       dialect.Dialect
	session *session
	flight  *flight
	req     *dialect.Request
	landed  bool // the flight had landed before
	arrived bool // the client got all of the reply
}

// whole answers with a reply in one piece.
func (x *exchange) whole() error {
	select {
	case <-x.flight.done:
	case <-x.c.Context().Done():
		return x.c.Context().Err()
	}
	if err := x.ready(); err != nil {
		return refuse(x.c, x.d, asError(err))
	}
	x.c.Plain = true // a zipped reply has no length, and nobody would learn when it arrives
	x.c.Arrive = func() { x.arrived = x.c.Context().Err() == nil }
	return x.c.JSON(http.StatusOK, x.d.Encode(x.req, x.reply(x.req, x.flight)))
}

// stream answers with events. Text leaves while it is sampled, the rest once it is kept.
func (x *exchange) stream() error {
	head := dialect.Reply{Call: x.flight.id, Model: modelOf(x.req, x.config.Model), Created: time.Now()}
	w, out := x.d.Stream(x.req, head), x.c.Paced()
	h := x.c.W.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // of nginx, which would hold the events back
	send := func(events []byte) error {
		out.Restart()
		if _, err := out.Write(events); err != nil {
			return err
		}
		return x.c.Flush()
	}
	if err := send(w.Begin()); err != nil {
		return err
	}
	if err := x.await(w, send); err != nil {
		return err
	}
	if err := x.ready(); err != nil {
		return send(w.Fail(asError(err)))
	}
	r := x.reply(x.req, x.flight)
	if err := send(w.Reply(r)); err != nil {
		return err
	}
	here := x.c.Context().Err() == nil // a client may go as soon as it has the last event
	err := send(w.End(r))
	x.arrived = here && err == nil
	return err
}

// await waits for the flight, and sends what it shows, and signs of life.
func (x *exchange) await(w dialect.Stream, send func(events []byte) error) error {
	tick := time.NewTicker(keepAliveEvery)
	defer tick.Stop()
	for {
		reasoning, content, grew := x.flight.live.now()
		if events := w.Live(reasoning, content); len(events) > 0 {
			if err := send(events); err != nil {
				return err
			}
		}
		select {
		case <-x.flight.done:
			return nil
		case <-grew:
		case <-tick.C:
			if err := send(w.KeepAlive()); err != nil {
				return err
			}
		case <-x.c.Context().Done():
			return x.c.Context().Err()
		}
	}
}

// leave ends the wait.
func (x *exchange) leave() { x.session.arrived(x.flight, x.arrived) }

// ready returns why the flight, which has landed, gives no reply.
func (x *exchange) ready() error {
	if x.flight.err != nil || !x.landed {
		return x.flight.err
	}
	return x.session.deliver(x.flight)
}
