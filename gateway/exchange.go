package gateway

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/journal"
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

// leave ends the wait. A reply that nobody got all of is lost, until the client asks again.
func (x *exchange) leave() {
	s, f := x.session, x.flight
	s.mu.Lock()
	f.waiting--
	s.waiting--
	over := s.state == Draining
	if f.waiting == 0 && f.underway() {
		s.abandon(f, x.config.Settings.AbandonAfter)
	}
	f.arrived = f.arrived || x.arrived
	news := s.judgeArrival(f)
	s.mu.Unlock()
	x.book.keepArrival(x.config.Log, news)
	if over {
		x.due.add(s.group)
	}
}

// judgeArrival marks the replies of a flight that nobody waits for as lost, or as delivered,
// and returns the records that say so. s.mu is held.
func (s *session) judgeArrival(f *flight) (news []journal.Record) {
	if f.waiting > 0 && !f.arrived {
		return nil
	}
	return s.mark(f, !f.arrived)
}

// mark marks the replies of a flight as lost or not, and returns the records of those that
// were not so. s.mu is held.
func (s *session) mark(f *flight, lost bool) (news []journal.Record) {
	kind := byte(kindDelivered)
	if lost {
		kind = kindLost
	}
	for _, n := range f.nodes {
		if n.Lost != lost {
			n.Lost = lost
			n.News++
			news = append(news, journal.Record{Session: s.id, Kind: kind, Data: fmt.Appendf(nil, "%s.%d", n.ID, n.News)})
		}
	}
	return news
}

// ready returns why the flight, which has ended, gives no reply. Before a lost reply goes out
// again, the journal has that it arrives: its client may have it when the process is killed.
func (x *exchange) ready() error {
	if x.flight.err != nil {
		return x.flight.err
	}
	var news []journal.Record
	if err := x.session.whole(x.Gateway, func() { news = x.session.mark(x.flight, false) }); err != nil {
		return unreadable(err)
	}
	if len(news) == 0 {
		return nil
	}
	if err := x.book.write(context.Background(), news...); err != nil {
		return replyNotKept(err)
	}
	return nil
}
