package hub

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// deliver writes the reply with a batch by the given function, which also looks whether
// the client is still there before the last of it. A reply that breaks off leaves the
// batch due.
func (s *Server) deliver(c *call, p parcel, write func(*call, parcel) error) {
	landed := false
	defer func() {
		if !landed { // it panicked
			s.land(p, nil, errBrokeOff)
		}
	}()
	// Whoever has the last byte may ask for the next batch before this goroutine goes on.
	c.arrive = func() { s.land(p, c.exchange, nil) }
	err := write(c, p)
	landed = true
	s.land(p, c.exchange, err)
	if isCorrupt(err) {
		err = errors.Join(err, s.spoil(context.WithoutCancel(c.r.Context()), p))
	}
	if err != nil {
		s.log.Info("a batch did not reach the trainer and will be handed out again", "run", s.name, "batch", p.number, "groups", len(p.seqs), "err", err)
		panic(http.ErrAbortHandler) // the reply must not look whole
	}
}

// errBrokeOff says that a reply did not come to its end.
var errBrokeOff = errors.New("the reply broke off")

// spoil dissolves a batch of which a group cannot be decoded. That is set aside.
func (s *Server) spoil(ctx context.Context, p parcel) error {
	for _, seq := range p.seqs {
		if _, err := s.queue.Read(ctx, seq); err != nil && !isCorrupt(err) {
			return err
		}
	}
	s.trade.Lock()
	defer s.trade.Unlock()
	return s.dissolve(ctx, p.delivery)
}

// bodyOf returns the group of d in the binary form that all clients read.
func (s *Server) bodyOf(d *queue.Delivery) ([]byte, error) {
	if d.Body == nil {
		return s.codec.Encode(d.Group)
	}
	body, err := s.codec.Repack(d.Body)
	if err != nil {
		return nil, &queue.CorruptError{Seq: d.Seq, ID: d.ID, Err: err}
	}
	return body, nil
}

// writeJSON writes a batch as the original does.
func (s *Server) writeJSON(c *call, p parcel) error {
	out := s.newPrinter(c, http.StatusOK)
	out.piece = append(out.piece, `{"batch":[`...)
	err := s.encodeAhead(p.groups, func(i int, text []byte) error {
		if i > 0 {
			out.piece = append(out.piece, ',')
		}
		out.pass(text)
		return out.err
	})
	if err != nil {
		out.abort()
		return err
	}
	out.piece = append(out.piece, "]}"...)
	return out.close()
}

// A text is a group in JSON that is being made.
type text struct {
	made chan struct{} // closed when it is
	json *[]byte
	err  error
}

// encodeAhead makes JSON of groups, some of them ahead of the one that is shown, and
// shows them in order, until one cannot be read or shown.
func (s *Server) encodeAhead(groups []queue.Delivery, show func(i int, text []byte) error) error {
	var making sync.WaitGroup
	defer making.Wait()
	texts := make([]*text, len(groups))
	ahead := cap(s.desks)
	start := func(i int) {
		if i >= len(groups) {
			return
		}
		t := &text{made: make(chan struct{})}
		texts[i] = t
		making.Go(func() {
			defer close(t.made)
			s.compute(func() { t.json, t.err = s.encode(&groups[i]) })
		})
	}
	for i := range ahead {
		start(i)
	}
	for i := range groups {
		t := texts[i]
		<-t.made
		if t.err != nil {
			return t.err
		}
		start(i + ahead)
		if err := show(i, *t.json); err != nil {
			return err
		}
		texts[i] = nil
		s.texts.Put(t.json)
	}
	return nil
}

// encode makes JSON of one group, and lets go of it.
func (s *Server) encode(d *queue.Delivery) (*[]byte, error) {
	buf, ok := s.texts.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	write := func(g *quintain.Group) error {
		*buf = atropos.AppendGroup((*buf)[:0], g)
		return nil
	}
	var err error
	if d.Group != nil {
		err = write(d.Group)
	} else if err = s.codec.View(d.Body, write); err != nil {
		err = &queue.CorruptError{Seq: d.Seq, ID: d.ID, Err: err}
	}
	d.Group, d.Body = nil, nil
	return buf, err
}
